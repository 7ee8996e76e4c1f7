import { limited, tupleAfter } from '../../db/expressions.ts'
import type { RowOf } from '../../db/columns.ts'
import { rowsOf } from '../../db/rows.ts'
import { param, statement } from '../../db/statement.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { rowsOfTable } from '../../db/workspaces.ts'
import type { IndexKind } from '../fields/index.ts'
import { raiseEpochOfWrites } from '../schemas/index.ts'

export const indexKinds = ['text', 'number', 'grams'] as const satisfies readonly IndexKind[]

/** The name of an index; `field` is the key that `keyOf` returns. */
export type IndexName = Pick<RowOf<'field_index_state'>, 'object' | 'field'> & { readonly kind: IndexKind }

/** The state of an index. Writers maintain a building index like a ready one; lists use it only when it is ready. */
export type IndexState = IndexName & { readonly state: 'building' | 'ready' }

const indexStates = rowsOf<IndexState>('field_index_state', ['object', 'field', 'kind', 'state'])

/** Lists the indexes on demand of an object. */
export const listIndexStates = indexStates.list(['workspace_id', 'object'])

/** The progress of a build: records of the object in the order of their creation, up to and including one. */
export type Filling = Pick<IndexState, 'state'> &
  // `until_at` is the newest record that the build covers; later records wrote their own rows.
  Pick<RowOf<'field_index_state'>, 'until_at' | 'filled' | 'filled_at' | 'filled_id'>

/** Reads and locks the progress of a build, so that it is continued only once at a time. */
export const lockFilling = async (
  tx: Tx,
  workspaceId: string,
  { object, field, kind }: IndexName,
): Promise<Filling | undefined> => {
  const rows = await tx.query<Filling>(({ knex, dialect }) =>
    dialect.locked(
      knex('field_index_state')
        .select('state', 'until_at', 'filled', 'filled_at', 'filled_id')
        .where({ workspace_id: workspaceId, object, field, kind }),
      'change',
    ),
  )
  return rows[0]
}

/** Inserts index states and returns the new ones; existing states stay as they are. */
export const insertIndexStates = async (
  tx: Tx,
  workspaceId: string,
  names: readonly IndexName[],
  total: number,
  now: number,
): Promise<IndexName[]> => {
  await raiseEpochOfWrites(tx, workspaceId)
  const inserted = await tx.insertNew(
    'field_index_state',
    names.map((name) => ({
      workspace_id: workspaceId,
      ...name,
      state: 'building',
      filled: 0,
      total,
      requested_at: now,
    })),
    ['field', 'kind'],
  )
  return names.filter(({ field, kind }) => inserted.some((one) => one.field === field && one.kind === kind))
}

export const updateIndexState = (
  tx: Tx,
  workspaceId: string,
  { object, field, kind }: IndexName,
  changes: Partial<Filling> & { readonly ready_at?: number; readonly last_used_at?: number },
): Promise<void> =>
  tx.updateByKey(
    'field_index_state',
    ['workspace_id', 'object', 'field', 'kind'],
    [{ workspace_id: workspaceId, object, field, kind, ...changes }],
  )

/** Deletes the states of the indexes on a field, by the key of its object and its own key in the index tables. */
export const deleteIndexStates = (tx: Tx, workspaceId: string, object: string, field: string): Promise<void> =>
  deleteStates(tx, workspaceId, { object, field })

/** Deletes the states of all indexes of an object. */
export const deleteStatesOf = (tx: Tx, workspaceId: string, object: string): Promise<void> =>
  deleteStates(tx, workspaceId, { object })

async function deleteStates(
  tx: Tx,
  workspace_id: string,
  states: Pick<IndexName, 'object'> & Partial<IndexName>,
): Promise<void> {
  await raiseEpochOfWrites(tx, workspace_id)
  await tx.change(({ knex }) =>
    knex('field_index_state')
      .where({ workspace_id, ...states })
      .delete(),
  )
}

type Live = { readonly id: string; readonly created_at: number }

const after = statement<
  { workspace_id: string; object: string; created_at: number; id: string; until: number; rows: number },
  Live
>((sql) =>
  limited(
    sql,
    sql
      .knex('record')
      .select('id', 'created_at')
      .where({ workspace_id: param('workspace_id'), object: param('object') })
      .whereNull('deleted_at')
      .where(tupleAfter(sql, ['created_at', 'id'], [param('created_at'), param('id')], 'after'))
      .where('created_at', '<=', param('until'))
      .orderBy(['created_at', 'id']),
    param('rows'),
  ),
)

const beginning = { filled_at: -1, filled_id: '00000000-0000-0000-0000-000000000000' }

/** Lists the next records of a build. */
export const listNextRecords = (
  tx: ReadTx,
  workspaceId: string,
  object: string,
  { filled_at, filled_id }: Pick<Filling, 'filled_at' | 'filled_id'>,
  until: number,
  rows: number,
): Promise<Live[]> =>
  tx.all(after, {
    workspace_id: workspaceId,
    object,
    created_at: filled_at ?? beginning.filled_at,
    id: filled_id ?? beginning.filled_id,
    until,
    rows,
  })

const newest = statement<{ workspace_id: string; object: string }, { created_at: number }>(({ knex }) =>
  knex('record')
    .select('created_at')
    .where({ workspace_id: param('workspace_id'), object: param('object') })
    .whereNull('deleted_at')
    .orderBy('created_at', 'desc')
    .limit(1),
)

/** The creation time of an object's newest record; -1 if there is none. */
export const newestCreation = async (tx: ReadTx, workspaceId: string, object: string): Promise<number> =>
  (await tx.first(newest, { workspace_id: workspaceId, object }))?.created_at ?? beginning.filled_at

export type IndexCount = { readonly state: IndexState['state']; readonly indexes: number; readonly recordsLeft: number }

/** Counts the indexes on demand, built and building, and the records that the builds have not yet covered. */
export async function countIndexes(tx: ReadTx): Promise<IndexCount[]> {
  const rows = await rowsOfTable<{ state: IndexState['state']; indexes: number; filled: number; total: number }>(
    tx,
    ({ knex }) =>
      knex('field_index_state')
        .select('state')
        .count('* as indexes')
        .sum({ filled: 'filled', total: 'total' })
        .groupBy('state'),
  )
  return [...Map.groupBy(rows, ({ state }) => state)].map(([state, ofNodes]) => ({
    state,
    indexes: ofNodes.reduce((sum, { indexes }) => sum + indexes, 0),
    recordsLeft:
      state === 'ready' ? 0 : ofNodes.reduce((sum, { filled, total }) => sum + Math.max(0, total - filled), 0),
  }))
}

import type { RowOf } from '../../db/columns.ts'
import { isLive } from '../../db/expressions.ts'
import { param, statement } from '../../db/statement.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { seesAll, type Principal } from '../access/index.ts'
import { listVisibleIds, type LinkRow, type RecordRow } from '../objects/index.ts'
import type { RecordData } from '../fields/index.ts'
import { rowsOf, readColumn } from '../../db/rows.ts'

type GuardedRow = Pick<RecordRow, 'id' | 'owner_id' | 'visibility'> & { readonly object: string }

/** Lists what access rules need of records of any object, deleted ones included. */
export const listGuarded = rowsOf<GuardedRow>('record', ['id', 'object', 'owner_id', 'visibility']).listAmong(
  ['workspace_id'],
  'id',
)

/** For callers who see every record of the object, as nearly all do: prepared once. */
const referable = statement<{ workspace_id: string; object: string; ids: unknown }, { id: string }>((sql) =>
  sql.dialect.locked(
    sql
      .knex('record')
      .select('id')
      .where({ workspace_id: param('workspace_id'), object: param('object') })
      .where(sql.dialect.oneOf('id', param('ids')))
      .where(isLive(sql, 'record')),
    'refer',
  ),
)

/**
 * Lists which of the given ids are live records of an object that the caller may see. They cannot be deleted before the
 * transaction ends, so a reference to them holds.
 */
export async function listReferable(
  tx: Tx,
  workspaceId: string,
  object: string,
  ids: readonly string[],
  principal: Principal,
): Promise<Set<string>> {
  if (!seesAll(principal)) return listVisibleIds(tx, workspaceId, object, ids, principal, 'refer')
  const rows = await tx.all(referable, { workspace_id: workspaceId, object, ids })
  return new Set(rows.map((row) => row.id))
}

export type PairedRow = Pick<RowOf<'record'>, 'id' | 'object'> & { readonly data: RecordData }

/**
 * Lists records of any object, live or deleted, in the order of their ids; with a purpose, it locks them for it in that
 * order.
 */
export const listPaired = (
  tx: ReadTx,
  workspaceId: string,
  ids: readonly string[],
  purpose?: 'change' | 'delete',
): Promise<PairedRow[]> =>
  tx.query(({ knex, dialect }) => {
    const rows = knex('record')
      .select('id', 'object', 'data')
      .where('workspace_id', workspaceId)
      .where(dialect.oneOf('id', ids))
      .orderBy('id')
    return purpose === undefined ? rows : dialect.locked(rows, purpose)
  })

export type UniqueKey = Omit<RowOf<'unique_key'>, 'workspace_id'>

/**
 * Lists the holders of some values of a unique field; with `hold`, none of them releases its value any more. Each value
 * is looked up by itself: without statistics of a table that grows, Postgres reads all values of the field instead.
 */
export const listUniqueKeys = (
  tx: ReadTx,
  workspaceId: string,
  field: string,
  values: readonly string[],
  { hold = false }: { readonly hold?: boolean } = {},
): Promise<UniqueKey[]> =>
  tx.query((sql) => {
    const { knex, dialect } = sql
    if (hold) {
      const keys = knex('unique_key')
        .select('field', 'key_value', 'record_id')
        .where({ workspace_id: workspaceId, field })
        .where(dialect.oneOf('key_value', values, 'text'))
      return dialect.locked(keys.orderBy('key_value'), 'refer')
    }
    const isHeld = sql`u.workspace_id = ${workspaceId} and u.field = ${field} and u.key_value = s.id`
    return knex
      .select('u.field', 'u.key_value', 'u.record_id')
      .from(dialect.lookUp(dialect.idTable(values, 'text'), 'unique_key', 'u', isHeld))
  })

/** Deletes the side rows of records: their index rows, unique keys and search documents. */
export async function deleteSideRows(tx: Tx, workspaceId: string, ids: readonly string[]): Promise<void> {
  await Promise.all(
    (['field_text', 'field_number', 'field_gram', 'unique_key', 'search_document'] as const).map((table) =>
      tx.change(({ knex, dialect }) =>
        knex(table).where('workspace_id', workspaceId).where(dialect.oneOf('record_id', ids)).delete(),
      ),
    ),
  )
}

/** Writes the workspace's level on a locked record, and copies it to the rows of its ordered indexes. */
export async function updateVisibility(tx: Tx, workspaceId: string, id: string, visibility: number): Promise<void> {
  await Promise.all([
    tx.updateByKey('record', ['workspace_id', 'id'], [{ workspace_id: workspaceId, id, visibility }]),
    ...(['field_text', 'field_number'] as const).map((table) =>
      tx.change(({ knex }) => knex(table).update({ visibility }).where({ workspace_id: workspaceId, record_id: id })),
    ),
  ])
}

/** Lists the live links of some relationships that have records at one of their ends. */
export const listLiveLinks = (
  tx: ReadTx,
  workspaceId: string,
  relationships: readonly string[],
  end: 'from_id' | 'to_id',
  ids: readonly string[],
): Promise<LinkRow[]> =>
  tx.query(({ knex, dialect }) =>
    knex('link')
      .select('relationship', 'from_id', 'to_id')
      .where('workspace_id', workspaceId)
      .where(dialect.bothOf(['relationship', relationships], [end, ids]))
      .whereNull('hidden_by'),
  )

/** Selects links by relationship, and the ends to read from and to. */
type LinkEnds = {
  readonly relationship: string
  readonly end: 'from_id' | 'to_id'
  readonly other: 'from_id' | 'to_id'
}

/** Lists the records that a record is linked to, in the order of their ids. */
export async function listLinked(
  tx: ReadTx,
  workspaceId: string,
  { relationship, end, other }: LinkEnds,
  id: string,
): Promise<string[]> {
  return readColumn(tx, ({ knex }) =>
    knex('link')
      .select(`${other} as id`)
      .where({ workspace_id: workspaceId, relationship, [end]: id })
      .whereNull('hidden_by')
      .orderBy(other),
  )
}

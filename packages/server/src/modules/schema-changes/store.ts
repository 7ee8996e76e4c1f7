import type { RowOf } from '../../db/columns.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import type { Clearing, SchemaDocument, SchemaKeys, WorkspaceSchemas } from '../schemas/index.ts'
import type { DraftTarget } from './change/drafts.ts'

/**
 * `waiting`: no other change may touch the object. `announced`: writers satisfy the old and the new schema. `clearing`:
 * the new schema is in force, and removed options are being cleared from the records.
 */
export type TargetState = 'waiting' | 'announced' | 'clearing'

/** Reserves the objects of a change; false if another change has one of them. */
export async function insertTargets(
  tx: Tx,
  workspaceId: string,
  taskId: string,
  now: number,
  targets: readonly DraftTarget[],
): Promise<boolean> {
  const rows = targets.map(({ name, document, keys, version, gone }) => ({
    workspace_id: workspaceId,
    object: name,
    task_id: taskId,
    target_state: 'waiting',
    target: document,
    target_keys: keys,
    target_version: version,
    gone,
    created_at: now,
  }))
  return (await tx.insertNew('schema_target', rows, ['object'])).length === rows.length
}

type TargetRow = RowOf<'schema_target'> & {
  readonly target_state: TargetState
  readonly target: SchemaDocument
  readonly target_keys: SchemaKeys
  readonly clearing: Clearing | null
}

/** The targets of a change as planned, compared with the current objects; none once it has ended. */
export async function listTargets(
  tx: ReadTx,
  workspaceId: string,
  taskId: string,
  schemas: WorkspaceSchemas,
): Promise<(DraftTarget & { readonly clearing: Clearing })[]> {
  const rows = await tx.query<Omit<TargetRow, 'workspace_id' | 'task_id' | 'created_at'>>(({ knex }) =>
    knex('schema_target')
      .select('object', 'target_state', 'target', 'target_keys', 'target_version', 'gone', 'clearing')
      .where({ workspace_id: workspaceId, task_id: taskId })
      .orderBy('object'),
  )
  return rows.map((row) => ({
    name: row.object,
    before: schemas.get(row.object),
    document: row.target,
    keys: row.target_keys,
    version: row.target_version,
    gone: row.gone,
    clearing: row.clearing ?? {},
  }))
}

/** The pending versions of all objects that are being changed in a workspace. */
export const listRunning = (
  tx: ReadTx,
  workspaceId: string,
): Promise<Pick<TargetRow, 'object' | 'target' | 'target_keys' | 'target_version' | 'gone'>[]> =>
  tx.query(({ knex }) =>
    knex('schema_target')
      .select('object', 'target', 'target_keys', 'target_version', 'gone')
      .where('workspace_id', workspaceId)
      .orderBy('object'),
  )

export const updateTargets = (tx: Tx, workspaceId: string, taskId: string, state: TargetState): Promise<number> =>
  tx.change(({ knex }) =>
    knex('schema_target').where({ workspace_id: workspaceId, task_id: taskId }).update({ target_state: state }),
  )

/** Keeps an object reserved until some options are cleared from its records. */
export const updateTargetClearing = (tx: Tx, workspaceId: string, object: string, clearing: Clearing): Promise<void> =>
  tx.updateByKey(
    'schema_target',
    ['workspace_id', 'object'],
    [{ workspace_id: workspaceId, object, target_state: 'clearing', clearing }],
  )

/** Releases the objects for other changes; without `objects` all of the change. */
export const deleteTargets = (
  tx: Tx,
  workspaceId: string,
  taskId: string,
  objects?: readonly string[],
): Promise<number> =>
  tx.change(({ knex, dialect }) => {
    const query = knex('schema_target').where({ workspace_id: workspaceId, task_id: taskId })
    return (objects === undefined ? query : query.where(dialect.oneOf('object', objects, 'text'))).delete()
  })

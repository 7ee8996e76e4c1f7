import type { RowOf } from '../../../db/columns.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import type { ChangeRequest } from '../change/request.ts'
import { listRunning } from '../store.ts'
import { wake } from '../../../engine/store.ts'
import { changeType } from '../change/payload.ts'
import { rowsIn, rowsOf, columnsOf } from '../../../db/rows.ts'

/** A waiting change; `objects` are those that it was going to change when it was accepted. */
export type Queued = Omit<RowOf<'schema_queue'>, 'workspace_id'> & {
  readonly objects: readonly string[]
  readonly request: ChangeRequest
}

/** The waiting changes, in the order in which they were accepted. */
const queue = rowsIn<Queued, 'task_id'>('schema_queue', columnsOf('schema_queue', 'workspace_id'), 'task_id')

/** The waiting changes, in the order in which they were accepted. */
export const listQueued = rowsOf<Queued>('schema_queue', columnsOf('schema_queue', 'workspace_id')).list(
  ['workspace_id'],
  'place',
)

/** Adds a change to the end of the queue; the schemas are locked, so that no two changes take one position. */
export const insertQueued = queue.insert

/** Removes a change from the queue; returns whether it was there. */
export const deleteQueued = async (tx: Tx, workspaceId: string, taskId: string): Promise<boolean> =>
  (await tx.change(({ knex }) => knex('schema_queue').where({ workspace_id: workspaceId, task_id: taskId }).delete())) >
  0

/**
 * Returns whether any of some objects is being changed, or will be by an accepted change: by any, or by one of `ahead`.
 */
export async function isReserved(
  tx: ReadTx,
  workspaceId: string,
  objects: readonly string[],
  ahead?: readonly Queued[],
): Promise<boolean> {
  const running = await listRunning(tx, workspaceId)
  const taken = new Set([
    ...running.map(({ object }) => object),
    ...(ahead ?? (await listQueued(tx, workspaceId))).flatMap((queued) => queued.objects),
  ])
  return objects.some((object) => taken.has(object))
}

/** Lets the waiting changes begin whose turn it is, now that objects are free again. */
export async function wakeQueued(tx: Tx, workspaceId: string, now: number): Promise<void> {
  const queued = await listQueued(tx, workspaceId)
  if (queued.length === 0) return
  const taken = new Set((await listRunning(tx, workspaceId)).map(({ object }) => object))
  const keys: string[] = []
  for (const { task_id: id, objects } of queued) {
    if (!objects.some((object) => taken.has(object))) keys.push(id)
    objects.forEach((object) => taken.add(object))
  }
  await wake(tx, { workspaceId, kind: changeType, keys, now })
}

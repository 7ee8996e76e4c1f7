import type { ReadTx, Tx } from '../../../db/tx.ts'
import type { ChangeRequest } from '../requests/request.ts'
import { listRunning } from '../store.ts'

export type Queued = {
  readonly task_id: string
  readonly place: number
  /** Those that it was going to change when it was accepted. */
  readonly objects: readonly string[]
  readonly request: ChangeRequest
  readonly created_at: number
}

/** The changes that wait for their turn, in the order in which they were accepted. */
export const listQueued = (tx: ReadTx, workspaceId: string): Promise<Queued[]> =>
  tx.query<Queued>(({ knex }) =>
    knex('schema_queue')
      .select('task_id', 'place', 'objects', 'request', 'created_at')
      .where('workspace_id', workspaceId)
      .orderBy('place'),
  )

/** Adds a change to the end of the queue; the schemas are held, so that no two take one place. */
export const insertQueued = (tx: Tx, workspaceId: string, queued: Queued): Promise<void> =>
  tx.insert('schema_queue', [{ workspace_id: workspaceId, ...queued }])

/** Takes a change out of the queue; whether it was there. */
export const deleteQueued = async (tx: Tx, workspaceId: string, taskId: string): Promise<boolean> =>
  (await tx.change(({ knex }) => knex('schema_queue').where({ workspace_id: workspaceId, task_id: taskId }).delete())) >
  0

/** Whether one of some objects is being changed, or is going to be by a change that was accepted: by any, or by one of `ahead`. */
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

import type { Tx } from '../../../db/tx.ts'
import { wake } from '../../../engine/store.ts'
import { changeType } from '../change/payload.ts'
import { listRunning } from '../store.ts'
import { listQueued } from './store.ts'

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

import { z } from 'zod'
import type { Tx } from '../../db/tx.ts'
import { inBatches } from '../../engine/batches.ts'
import { enqueue } from '../../engine/store.ts'
import type { JobKind } from '../../engine/types.ts'
import { deleteEntryCounter, deleteSomeEntries } from './entries/store.ts'

const payload = z.object({ list: z.string() })

/** Removes the entries of a list that was deleted. Its grants go on saying who may see its events. */
export const cleanList: JobKind<z.infer<typeof payload>> = {
  name: 'lists.clean',
  payload,
  maxAttempts: Infinity,
  async run(context, { list }) {
    const { workspaceId } = context
    const said = await inBatches(context, async (tx, rows) => {
      if ((await deleteSomeEntries(tx, workspaceId, list, rows)) === rows) return 'more'
      await deleteEntryCounter(tx, workspaceId, list)
      return 'done'
    })
    return said === 'done' ? { state: 'done' } : { state: 'again', inMs: 0 }
  },
}

/** Enqueues the removal of a list's entries, in the transaction that deletes the list. */
export const enqueueClean = (tx: Tx, workspaceId: string, list: string, now: number): Promise<void> =>
  enqueue(tx, { workspaceId, kind: cleanList, payload: { list }, now })

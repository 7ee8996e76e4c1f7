import { inEachWorkspace } from '../../engine/each-workspace.ts'
import { every, type EarlyContext, type Recurring } from '../../engine/recurring.ts'
import { hourMs } from '../../kernel/clock.ts'
import type { FileStorage } from './storage.ts'
import { deleteFiles, listDiscarded, listDiscarding } from './store.ts'

/** A round of deletions in a storage that is far away takes some seconds. */
const filesMax = 50
const leaseMs = 60_000

const discardEveryMs = hourMs / 12

/**
 * Removes the bytes of uploads that were not taken over, and of files whose records or attachments are gone: first
 * the bytes, then the row that remembers them.
 */
export const discarding = (storage: FileStorage): Recurring =>
  every(discardEveryMs, {
    name: 'files.discard',
    leaseMs,
    run: inEachWorkspace<EarlyContext>({
      due: listDiscarding,
      async work({ database, clock }, workspaceId) {
        const ids = await listDiscarded(database.reader, workspaceId, clock.now(), filesMax)
        for (const id of ids) await storage.remove({ workspaceId, id })
        if (ids.length > 0) await database.write((tx) => deleteFiles(tx, workspaceId, ids))
        return ids.length === filesMax
      },
    }),
  })

import type { WorkspaceUpkeep } from '../../engine/each-workspace.ts'
import { keptMs } from './ends.ts'
import { deleteExports, listExpired, listExpiring } from './store.ts'

const exportsMax = 20

/** Deletes exports whose files are gone. */
export const exportUpkeep: WorkspaceUpkeep = {
  due: (tx, now) => listExpiring(tx, now - keptMs),
  async batch(tx, workspaceId, now) {
    const ids = await listExpired(tx, workspaceId, now - keptMs, exportsMax)
    await deleteExports(tx, workspaceId, ids)
    return ids.length === exportsMax
  },
}

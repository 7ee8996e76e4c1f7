import type { WorkspaceUpkeep } from '../../engine/each-workspace.ts'
import { dayMs } from '../../kernel/clock.ts'
import { deleteRejects } from './rejects/store.ts'
import { deleteReverts } from './revert/store.ts'
import { deleteImports, listExpired, listExpiring } from './store.ts'

/** The time for which an import is kept. */
const keptMs = 90 * dayMs

const importsMax = 20
const rowsMax = 500

/** Deletes imports that ended long ago, their rejected rows first. */
export const importUpkeep: WorkspaceUpkeep = {
  due: (tx, now) => listExpiring(tx, now - keptMs),
  async batch(tx, workspaceId, now) {
    const ids = await listExpired(tx, workspaceId, now - keptMs, importsMax)
    if ((await deleteRejects(tx, workspaceId, ids, rowsMax)) === rowsMax) return true
    await deleteReverts(tx, workspaceId, ids)
    await deleteImports(tx, workspaceId, ids)
    return ids.length === importsMax
  },
}

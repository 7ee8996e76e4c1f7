import type { ReadTx } from '../db/tx.ts'
import { listDueWorkspaces } from './store.ts'

/** A look may take a tenth of the time: with twenty thousand workspaces it takes 30 ms. */
const restPerLook = 10

/** Which workspaces have due jobs, where there are too many jobs to look at each. */
export class DueBacklog {
  #workspaceIds: readonly string[] = []
  #restsUntil = -Infinity

  /** `isFresh` unless it is what a look a little earlier has found. */
  async list(
    reader: ReadTx,
    now: number,
  ): Promise<{ readonly workspaceIds: readonly string[]; readonly isFresh: boolean }> {
    const from = performance.now()
    if (from < this.#restsUntil) return { workspaceIds: this.#workspaceIds, isFresh: false }
    this.#workspaceIds = (await reader.all(listDueWorkspaces, { now })).map(({ workspace_id }) => workspace_id)
    const until = performance.now()
    this.#restsUntil = until + (until - from) * restPerLook
    return { workspaceIds: this.#workspaceIds, isFresh: true }
  }

  /** To be called when it was wrong: somebody has no jobs any more. */
  forget(): void {
    this.#restsUntil = -Infinity
  }
}

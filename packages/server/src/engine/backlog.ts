import type { ReadTx } from '../db/tx.ts'
import { listDueWorkspaces } from './store.ts'

/** A scan may take a tenth of the time: with twenty thousand workspaces it takes 30 ms. */
const restPerLook = 10

/** Caches which workspaces have due jobs, for when there are too many jobs to read each. */
export class DueBacklog {
  #workspaceIds: readonly string[] = []
  #restsUntil = -Infinity

  /** `isFresh` is false if the list comes from a slightly earlier scan. */
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

  /** Called when the list was wrong: a workspace in it has no jobs any more. */
  forget(): void {
    this.#restsUntil = -Infinity
  }
}

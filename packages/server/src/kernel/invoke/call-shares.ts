import { DatabaseCrowded } from '../../db/errors.ts'

/**
 * Limits how many calls of one workspace are at work. What they wait for, such as the one writer of SQLite or a
 * connection to Postgres, has queues for all workspaces: one that has its share there leaves room for the others, and
 * is itself told to try again (docs/decisions/0235).
 */
export class CallShares {
  readonly #callsMax: number
  readonly #atWork = new Map<string, number>()

  constructor(callsMax: number) {
    this.#callsMax = callsMax
  }

  async run<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
    const atWork = this.#atWork.get(workspaceId) ?? 0
    if (atWork >= this.#callsMax) throw new DatabaseCrowded(`${atWork} calls of this workspace are at work already`)
    this.#atWork.set(workspaceId, atWork + 1)
    try {
      return await work()
    } finally {
      const left = (this.#atWork.get(workspaceId) ?? 1) - 1
      if (left === 0) this.#atWork.delete(workspaceId)
      else this.#atWork.set(workspaceId, left)
    }
  }
}

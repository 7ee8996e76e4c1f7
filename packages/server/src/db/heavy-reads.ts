import type { QueryResult } from 'pg'
import type { FairTurns } from '../lib/fair-turns.ts'
import { handled } from '../lib/promises.ts'
import type { Send } from './postgres-executor.ts'

/** The party of the server's own work, in turns by workspace. */
export const theServer = 'server'

type Sent = Parameters<Send>[0]

/**
 * Reads that take long, a few at a time. Of several that are alike one is under way and one waits for it, which those
 * share that come meanwhile: it begins after all of them have asked, so it sees whatever was committed before.
 */
export class HeavyReads {
  readonly #turns: Pick<FairTurns, 'run'>
  readonly #send: Send
  readonly #underWay = new Map<string, Promise<QueryResult>>()
  readonly #waiting = new Map<string, Promise<QueryResult>>()

  constructor(turns: Pick<FairTurns, 'run'>, send: Send) {
    this.#turns = turns
    this.#send = send
  }

  readonly send: Send = (query) => {
    const key = `${query.name} ${JSON.stringify(query.values)}`
    const waiting = this.#waiting.get(key)
    if (waiting !== undefined) return waiting
    const result = handled(this.#queue(key, query))
    this.#waiting.set(key, result)
    return result
  }

  async #queue(key: string, query: Sent): Promise<QueryResult> {
    let hasBegun = false
    try {
      await this.#underWay.get(key)?.catch(() => undefined)
      return await this.#turns.run(query.party ?? theServer, () => {
        hasBegun = true
        this.#waiting.delete(key)
        return this.#begin(key, query)
      })
    } finally {
      if (!hasBegun) this.#waiting.delete(key)
    }
  }

  async #begin(key: string, query: Sent): Promise<QueryResult> {
    const sent = handled(this.#send(query))
    this.#underWay.set(key, sent)
    try {
      const result = await sent
      // A caller that sorts or reverses its rows would do so for all that share them.
      Object.freeze(result.rows)
      return result
    } finally {
      this.#underWay.delete(key)
    }
  }
}

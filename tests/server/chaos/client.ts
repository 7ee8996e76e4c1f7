import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectionFailed, createRestClient, KontorError, requests, type RestClient } from '@kontor/client'
import type { Random } from '../../harness/random.ts'

/** Between two tries of one change: shorter than `Retry-After`, so that the load stays. */
const againMs = 150

/** The address that requests are written for; each goes to a server that runs. */
const anyServer = 'http://kontor.test'

/** Responses of all clients. */
export class Responses {
  /** Number of responses by status; `cut` counts connections that ended without one. */
  statuses = new Map<number | 'cut', number>()
  /** Responses that no client has to expect: neither a success, nor 503 or 409 that say when to try again. */
  readonly faults: string[] = []
  acknowledged = 0
  /** Changes whose response was lost, and that were found by their key to be stored. */
  foundOut = 0

  count(status: number | 'cut'): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
  }
}

type Options = {
  readonly origins: () => readonly string[]
  readonly workspace: string
  readonly apiKey: string
  readonly random: Random
  readonly responses: Responses
  readonly isGivenUp: () => boolean
}

/** A client that sends each change under a key until it is acknowledged. */
export class Client {
  readonly #options: Options
  readonly #rest: RestClient
  /** The headers of the last response. */
  #headers = new Headers()

  constructor(options: Options) {
    this.#options = options
    this.#rest = createRestClient({ url: `${anyServer}/v1`, apiKey: options.apiKey, retries: 0, fetch: this.#fetch })
  }

  /** Sends a change until it is acknowledged. Throws on a response that ends it. */
  async change<T>(
    key: string,
    work: (rest: RestClient, options: { idempotencyKey: string }) => Promise<T>,
  ): Promise<T> {
    let isStored = false
    for (;;) {
      const outcome = await this.#attempt(() => work(this.#rest, { idempotencyKey: key }))
      if (outcome !== undefined && outcome !== 'cut') {
        if (isStored && this.#headers.get('Idempotency-Replayed') !== 'true')
          this.#fault(`${key} was stored, and its repetition was another change`)
        this.#options.responses.acknowledged++
        return outcome.done
      }
      if (outcome === 'cut' && this.#options.random.chance(0.3)) isStored ||= await this.#isStored(key)
      await this.#pause()
    }
  }

  /** Reads something until it is served. */
  async read<T>(work: (rest: RestClient) => Promise<T>): Promise<T> {
    for (;;) {
      const outcome = await this.#attempt(() => work(this.#rest))
      if (outcome !== undefined && outcome !== 'cut') return outcome.done
      await this.#pause()
    }
  }

  /** Sends the bytes of a file until they are stored. */
  async put(url: string, bytes: string): Promise<void> {
    await this.read(async () => {
      const response = await this.#fetch(url, { method: 'PUT', body: bytes }).catch((error: unknown) => {
        throw new ConnectionFailed(url, error)
      })
      const text = await response.text()
      if (response.ok) return
      const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
      throw new KontorError(`PUT ${url}: ${text}`, response.status, [], retryAfter)
    })
  }

  #fault(text: string): void {
    this.#options.responses.faults.push(`${new Date().toISOString()} ${this.#options.workspace}: ${text}`)
  }

  async #pause(): Promise<void> {
    if (this.#options.isGivenUp()) throw new Error('the test has ended')
    await sleep(againMs)
  }

  /** Asks by the key whether a change was stored whose response was lost. */
  async #isStored(key: string): Promise<boolean> {
    const { workspace, responses } = this.#options
    const outcome = await this.#attempt(() =>
      this.#rest.call(requests.get, { workspace, key }).catch((error: unknown) => {
        if (error instanceof KontorError && error.status === 404) return undefined
        throw error
      }),
    )
    const isStored = outcome !== undefined && outcome !== 'cut' && outcome.done !== undefined
    if (isStored) responses.foundOut++
    return isStored
  }

  /** Undefined where the response asks to try again, and `cut` where none came. */
  async #attempt<T>(work: () => Promise<T>): Promise<{ readonly done: T } | 'cut' | undefined> {
    try {
      return { done: await work() }
    } catch (error) {
      if (error instanceof ConnectionFailed) return 'cut'
      if (!(error instanceof KontorError)) throw error
      const { status, code, retryAfterSeconds, request, message } = error
      const isPassing = status === 503 || (status === 409 && code === 'idempotency_in_progress')
      if (isPassing && Number.isFinite(retryAfterSeconds)) return undefined
      this.#fault(`${request}: ${status} ${code} ${message}`)
      throw error
    }
  }

  /** Sends a request to any server that runs. */
  #fetch: typeof fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const { origins, random, responses } = this.#options
    const servers = origins()
    try {
      if (servers.length === 0) throw new Error('no server runs')
      const response = await fetch(`${random.pick(servers)}${url.pathname}${url.search}`, init)
      responses.count(response.status)
      this.#headers = response.headers
      return response
    } catch (error) {
      responses.count('cut')
      throw error
    }
  }
}

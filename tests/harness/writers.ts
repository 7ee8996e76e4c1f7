import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { apiOf, type Credentials } from './api.ts'
import { httpClient, type Answer, type Json } from './http.ts'
import { recordsPath, resourcesPath } from './records.ts'

type Options = {
  /** Of the servers; the writers take turns with them, and go to the next with what one has not done. */
  readonly baseUrls: () => readonly string[]
  readonly credentials: Credentials
  readonly count: number
  /** The servers may be gone for a while: a connection that breaks is no fault then. */
  readonly mayBreak?: boolean
}

type Change = { readonly method: 'POST' | 'PATCH'; readonly path: string; readonly body: Json; readonly key: string }

/** Between two tries of one change: shorter than `Retry-After` says, so that the load stays. */
const againMs = 40

const progressMaxMs = 60_000

const personBody = (title: string): Json => ({ data: { type: 'person', attributes: { job_title: title } } })

/**
 * Clients that write without a pause, each change under an Idempotency-Key of its own, and try a change until it is
 * made.
 * They keep what was answered with success, and every answer that is neither a success nor says properly when to come
 * again.
 */
export class Writers {
  /** The number of answers of each status; `broken` counts connections. */
  readonly statuses = new Map<number | 'broken', number>()
  /** Answers that no client of the API has to expect. */
  readonly faults: string[] = []
  /** Titles of the persons whose creation was answered with success. */
  readonly created: string[] = []
  /** By id, how many changes of a person were answered with success. */
  readonly changed = new Map<string, number>()
  readonly #options: Options
  readonly #http = httpClient()
  readonly #name = `run-${Math.random().toString(36).slice(2, 8)}`
  #stopping = false
  #givenUp = false
  #turn = 0
  #running: Promise<unknown> = Promise.resolve()

  constructor(options: Options) {
    this.#options = options
    onTestFinished(() => {
      this.#givenUp = true
      return this.stop()
    })
  }

  start(): void {
    this.#running = Promise.all(
      Array.from({ length: this.#options.count }, (_, writer) => this.#write(`${this.#name}-${writer}`)),
    )
  }

  /** Lets every writer finish the change that it is at; after a while those give up that cannot. */
  async stop(): Promise<void> {
    this.#stopping = true
    const timer = setTimeout(() => (this.#givenUp = true), progressMaxMs)
    await this.#running
    clearTimeout(timer)
    this.#http.close()
  }

  /** Resolves once so many more changes have been made: the servers work. Throws where that takes too long. */
  async progress(changes: number): Promise<void> {
    const until = this.#done + changes
    for (const began = performance.now(); this.#done < until; await sleep(20)) {
      if (performance.now() - began > progressMaxMs)
        throw new Error(
          `Only ${this.#done} changes, ${JSON.stringify([...this.statuses])}, ${this.faults.slice(0, 5).join('\n')}`,
        )
    }
  }

  /**
   * Lists what a server has otherwise than the writers were told: lost, doubled, or changed too often or too seldom.
   */
  async differences(baseUrl: string): Promise<string[]> {
    const http = httpClient()
    const api = apiOf(http, baseUrl, this.#options.credentials)
    const times = new Map<string, number>()
    let url: string | null = `${resourcesPath('person')}?page[limit]=1000`
    while (url !== null) {
      const { body }: { body: Json } = await api.get(url, { as: 'adminKey' })
      for (const { attributes } of body.data)
        times.set(attributes.job_title, (times.get(attributes.job_title) ?? 0) + 1)
      url = body.links.next
    }
    const wrong = this.created
      .filter((title) => times.get(title) !== 1)
      .map((title) => `${title} is there ${times.get(title) ?? 0} times`)
    for (const [id, changes] of this.changed) {
      const { headers } = await api.get(`${recordsPath('person')}/${id}`, { as: 'adminKey' })
      if (headers['etag'] !== `"${changes + 1}"`)
        wrong.push(`${id} has the tag ${headers['etag']} after ${changes} changes`)
    }
    http.close()
    return wrong
  }

  get #done(): number {
    return this.created.length + [...this.changed.values()].reduce((sum, one) => sum + one, 0)
  }

  async #write(writer: string): Promise<void> {
    const own = await this.#create(`${writer}-own`)
    if (own === undefined) return
    // Its title changes, so it is found by its id.
    this.created.splice(this.created.indexOf(`${writer}-own`), 1)
    this.changed.set(own, 0)
    for (let serial = 0; !this.#stopping; serial++) {
      await this.#create(`${writer}-${serial}`)
      const change = {
        method: 'PATCH',
        path: `${recordsPath('person')}/${own}`,
        body: personBody(`${writer} at ${serial}`),
        key: `${writer}-change-${serial}`,
      } as const
      if ((await this.#make(change)) !== undefined) this.changed.set(own, (this.changed.get(own) ?? 0) + 1)
    }
  }

  /** The id of the person. */
  async #create(title: string): Promise<string | undefined> {
    const answer = await this.#make({
      method: 'POST',
      path: recordsPath('person'),
      body: personBody(title),
      key: title,
    })
    if (answer !== undefined) this.created.push(title)
    return answer?.body.data.id
  }

  /** Tries until the change is made; undefined where a server has given an answer that ends it. */
  async #make(change: Change): Promise<Answer | undefined> {
    while (!this.#givenUp) {
      const answer = await this.#try(change)
      if (answer !== undefined && answer.status < 300) return answer
      if (answer !== undefined && !saysWhenAgain(answer)) {
        this.faults.push(
          `${change.method} ${change.path}: ${answer.status} ${JSON.stringify(answer.body)} Retry-After: ` +
            `${answer.headers['retry-after']}`,
        )
        return undefined
      }
      await sleep(againMs)
    }
    return undefined
  }

  async #try({ method, path, body, key }: Change): Promise<Answer | undefined> {
    const baseUrls = this.#options.baseUrls()
    const baseUrl = baseUrls[this.#turn++ % baseUrls.length] as string
    const api = apiOf(this.#http, baseUrl, this.#options.credentials)
    const answer = await api
      .send(method, path, { as: 'adminKey', body, headers: { 'Idempotency-Key': key } })
      .catch((error: Error) => {
        if (this.#options.mayBreak !== true) this.faults.push(`${method} ${path}: ${error.message}`)
        return undefined
      })
    const status = answer?.status ?? 'broken'
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    return answer
  }
}

/**
 * A request under the same key may still be running, if only until Postgres has noticed that its connection is gone
 * (docs/decisions/0012).
 */
const saysWhenAgain = ({ status, headers, body }: Answer): boolean =>
  headers['retry-after'] !== undefined &&
  (status === 503 || (status === 409 && body.errors[0].code === 'idempotency_in_progress'))

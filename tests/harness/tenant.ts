import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { httpClient, type Answer, type Json } from './http.ts'
import { until } from './until.ts'

/** A workspace of the test: its place, and the key of a member. */
export type Place = { readonly slug: string; readonly id: string; readonly key: string; readonly node: string }

/** Between two tries of one change: shorter than `Retry-After`, so that the load stays. */
const againMs = 100

/** Between two rounds, so that many workspaces at once do not saturate the machine. */
const pauseMs = 30

const progressMaxMs = 90_000

const bodyOf = (title: string): string => JSON.stringify({ data: { type: 'person', attributes: { job_title: title } } })

/**
 * A steady load in one workspace: creates a person, reads it, changes it and lists some, and sends each change under
 * its key until it succeeds.
 */
export class Tenant {
  /** Number of responses with each status since the last call of `begin`. */
  statuses = new Map<number, number>()
  /** Responses that no client has to expect: neither a success nor a 503 with `Retry-After`. */
  readonly faults: string[] = []
  /** By id, the titles of persons as they were last acknowledged. */
  readonly titles = new Map<string, string>()
  readonly place: Place
  readonly #http = httpClient()
  readonly #baseUrl: string
  #stopping = false
  #isGivenUp = false
  #running: Promise<void> = Promise.resolve()

  constructor(baseUrl: string, place: Place) {
    this.#baseUrl = `${baseUrl}/workspaces/${place.slug}/objects/person`
    this.place = place
    onTestFinished(() => {
      this.#isGivenUp = true
      return this.stop()
    })
  }

  start(): void {
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#running
    this.#http.close()
  }

  /** Counts statuses anew. */
  begin(): void {
    this.statuses = new Map()
  }

  /** Resolves once so many responses with a status have come since `begin`. Throws where that takes too long. */
  async until(status: number, count: number): Promise<void> {
    await until(() => (this.statuses.get(status) ?? 0) >= count, {
      withinMs: progressMaxMs,
      what: () => [this.place.slug, [...this.statuses], this.faults.slice(0, 3)],
    })
  }

  /** The acknowledged titles that are not stored, and the persons that exist twice. */
  async differences(): Promise<string[]> {
    const stored = new Map<string, string>()
    const wrong: string[] = []
    let url: string | null = `${this.#baseUrl}/resources?page[limit]=1000`
    const http = httpClient()
    while (url !== null) {
      const { body }: Answer = await http.send({ method: 'GET', url, headers: this.#headers() })
      for (const { id, attributes } of body.data) {
        if (stored.has(id)) wrong.push(`${id} is there twice`)
        stored.set(id, attributes.job_title)
      }
      url = body.links.next
    }
    http.close()
    for (const [id, title] of this.titles)
      if (stored.get(id) !== title) wrong.push(`${id} is ${stored.get(id)} and not ${title}`)
    for (const id of stored.keys()) if (!this.titles.has(id)) wrong.push(`${id} was not acknowledged`)
    return wrong
  }

  async #run(): Promise<void> {
    for (let serial = 0; !this.#stopping; serial++) {
      const title = `${this.place.slug} ${serial}`
      const made = await this.#send('POST', '/records', title)
      if (made === undefined) continue
      const { id } = made.data
      this.titles.set(id, title)
      await this.#send('GET', `/records/${id}`)
      if ((await this.#send('PATCH', `/records/${id}`, `${title} changed`)) !== undefined)
        this.titles.set(id, `${title} changed`)
      await this.#send('GET', '/resources?page[limit]=5')
      await sleep(pauseMs)
    }
  }

  #headers(title?: string): Record<string, string> {
    return {
      Authorization: `api-key ${this.place.key}`,
      ...(title !== undefined && { 'Content-Type': 'application/json', 'Idempotency-Key': title }),
    }
  }

  /** Sends a request until it succeeds; undefined where the test ends before, or the response is a fault. */
  async #send(method: string, path: string, title?: string): Promise<Json> {
    const sent = {
      method,
      url: `${this.#baseUrl}${path}`,
      headers: this.#headers(title),
      ...(title !== undefined && { body: bodyOf(title) }),
    }
    while (!this.#isGivenUp) {
      const { status, headers, body } = await this.#http.send(sent)
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
      if (status < 300) return body
      if (status !== 503 || headers['retry-after'] === undefined) {
        this.faults.push(`${method} ${path}: ${status} ${JSON.stringify(body)}`)
        return undefined
      }
      await sleep(againMs)
    }
    return undefined
  }
}

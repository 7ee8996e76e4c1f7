import { setTimeout as sleep } from 'node:timers/promises'
import { createRestClient, resources, type RestClient } from '@kontor/client'
import { Responses, type Phase, type Status } from './responses.ts'

/** Where requests go, and as whom. */
export type Target = {
  readonly baseUrl: string
  readonly apiKey: string
  readonly workspace: string
  readonly workflow: string
  readonly company: string
}

/** Between the first two attempts at a change, unless a response says more; twice as long after each. */
const againMs = 200
const againMsMax = 8000

/**
 * Sends requests at a constant rate: of ten, six read, three create a person and one is an order. Each change is
 * repeated under its key until it is acknowledged, and a list is read right after a person was created.
 */
export class Load {
  readonly responses = new Responses()
  /** Responses that ask to try again and do not say when. */
  unclear = 0
  /** Names of the persons whose creation was acknowledged. */
  readonly persons: string[] = []
  /** Number of lists that showed a change right after it, and the changes that were not shown. */
  seen = 0
  readonly unseen: string[] = []
  /** Numbers of the orders that were accepted. */
  readonly orders: number[] = []
  /** When a change was last acknowledged, as of `performance.now()`. */
  acknowledgedAt = 0
  phase: Phase = 'calm'
  readonly #target: Target
  readonly #rest: RestClient
  readonly #running = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  /** Time that the last response asks to wait before another attempt. */
  #waitMs = againMs
  #count = 0

  constructor(target: Target) {
    this.#target = target
    this.#rest = createRestClient({ url: target.baseUrl, apiKey: target.apiKey, retries: 0, fetch: this.#fetch })
  }

  start(perSecond: number): void {
    this.#timer = setInterval(() => this.#begin(), 1000 / perSecond)
  }

  /** Number of changes and reads that are not done yet. */
  get open(): number {
    return this.#running.size
  }

  /** Sends nothing new, and waits until what was begun is done. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#running)
  }

  #begin(): void {
    const number = this.#count++
    const kind = number % 10
    const work = kind === 9 ? this.#order(number) : kind >= 6 ? this.#create(number) : this.#read()
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  /** Counts responses, and those that should say when to try again and do not. */
  #fetch: typeof fetch = async (input, init) => {
    const [began, sentAt] = [this.phase, performance.now()]
    const count = (status: Status) => this.responses.count(began, this.phase, status, performance.now() - sentAt)
    try {
      const response = await fetch(input, init)
      const { refusals } = count(response.status)
      this.#waitMs = Math.max(againMs, Number(response.headers.get('retry-after') ?? 0) * 1000)
      if (response.status === 503) refusals.add(await detailOf(response.clone()))
      if ([409, 503].includes(response.status) && !response.headers.has('retry-after')) this.unclear++
      return response
    } catch (error) {
      count('none')
      throw error
    }
  }

  async #read(): Promise<void> {
    const { workspace } = this.#target
    await this.#rest.call(resources.list, { workspace, object: 'person', page: { limit: 10 } }).catch(() => undefined)
  }

  /** Reads a person whose creation was acknowledged, whichever server and database serves the list. */
  async #readOwn(name: string): Promise<void> {
    const query = { workspace: this.#target.workspace, object: 'person', filter: { job_title: { Is: name } } }
    const listed = await this.#rest.call(resources.list, query).catch(() => undefined)
    if (listed === undefined) return
    if (listed.body.data.length === 1) this.seen++
    else this.unseen.push(name)
  }

  async #create(number: number): Promise<void> {
    const { workspace } = this.#target
    const job_title = `Person ${number}`
    const body = { data: { type: 'person', attributes: { job_title } } }
    const options = { idempotencyKey: `person-${number}` }
    await this.#again(() => this.#rest.call(resources.create, { workspace, object: 'person', body }, options))
    this.persons.push(job_title)
    this.acknowledgedAt = performance.now()
    await this.#readOwn(job_title)
  }

  async #order(number: number): Promise<void> {
    const { baseUrl, workspace, workflow, company } = this.#target
    await this.#again(async () => {
      const response = await this.#fetch(`${baseUrl}/webhooks/workflows/${workspace}/${workflow}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'webhook-id': `order_${number}` },
        body: JSON.stringify({ number, company, amount: 20_000 }),
      })
      if (!response.ok) throw new Error(await response.text())
    })
    this.orders.push(number)
    this.acknowledgedAt = performance.now()
  }

  /** Repeats a change until it is acknowledged. */
  async #again(work: () => Promise<unknown>): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await work()
        return
      } catch {
        await sleep(Math.max(this.#waitMs, Math.min(againMsMax, againMs * 2 ** attempt)))
      }
    }
  }
}

/** The text of an error: of a server of Kontor, or of the proxy in front of it. */
async function detailOf(response: Response): Promise<string> {
  const { errors } = (await response.json()) as { errors: { detail: string }[] }
  return errors.map(({ detail }) => detail).join(' ')
}

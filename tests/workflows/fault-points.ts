import { expect } from 'vitest'
import { apiOf } from '../harness/api.ts'
import type { TestApp } from '../harness/app.ts'
import type { Mortal } from '../harness/fault-points.ts'
import type { Answer, Json } from '../harness/http.ts'
import type { Received } from '../harness/receiver.ts'
import { nextNumber, recordsPath } from '../harness/records.ts'
import { until } from '../harness/until.ts'
import { workflowsOf } from '../harness/workflows.ts'

/** A workflow, and what people do while it runs. */
export type Scenario = {
  readonly name: string
  readonly workflow: Json
  /** By the key of a block that waits for it, what a member changes of the deal. */
  readonly changes?: Readonly<Record<string, Json>>
  /** The receiver that the step calls refuses it the first time. */
  readonly isRefusedFirst?: true
  /** Events of the deal that the webhook is sent, in the end. */
  readonly deliveries: number
}

/** The server went away before it had answered, or before all had come to rest. */
export class Gone extends Error {
  override readonly name = 'Gone'
}

export type Stage = {
  /** Looks at the database of the servers, and does nothing there by itself. */
  readonly observer: TestApp
  readonly scenario: Scenario
  readonly workflowId: string
  readonly webhookId: string
  readonly got: readonly Received[]
}

const ended = new Set(['success', 'failed', 'cancelled', 'suppressed'])
const patienceMs = 60_000
const idShape = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** One run of the workflow, from the change that triggers it on, by however many servers. */
export class Round {
  readonly #stage: Stage
  readonly #mark = `Round ${nextNumber()}.`
  #deal: string | undefined
  /** Steps that were stored as done when a server had died, and the requests that there had been of each. */
  readonly #done = new Map<string, Json>()
  #posted: number | undefined

  constructor(stage: Stage) {
    this.#stage = stage
  }

  /** Does what people do until all has come to rest; throws `Gone` where the server dies before. */
  async drive(server: Pick<Mortal, 'baseUrl' | 'gone'>): Promise<void> {
    let isGone = false
    void server.gone.then(() => (isGone = true))
    const send = async (method: string, path: string, name: string, body: Json): Promise<Answer> => {
      const { http, credentials } = this.#stage.observer
      const headers = { 'Idempotency-Key': `${this.#mark} ${name}` }
      const call = apiOf(http, server.baseUrl, credentials).send
      const answer = await call(method, path, { as: 'memberKey', body, headers }).catch(() => undefined)
      if (answer === undefined) throw new Gone()
      expect([answer.status, answer.body.errors]).toEqual([method === 'POST' ? 201 : 200, undefined])
      return answer
    }
    const { changes = {} } = this.#stage.scenario
    const made = await send('POST', recordsPath('deal'), 'create', {
      data: { type: 'deal', attributes: { name: this.#mark, amount: 5 } },
    })
    this.#deal = made.body.data.id
    const changed = new Set<string>()
    const goOn = async (): Promise<boolean> => {
      if (await this.#isAtRest()) return true
      if (isGone) throw new Gone()
      const run = await this.#run()
      const at = run?.status === 'waiting' ? run.current_block_id : undefined
      if (changes[at] === undefined || changed.has(at)) return false
      changed.add(at)
      const data = { type: 'deal', id: this.#deal, attributes: changes[at] }
      await send('PATCH', `${recordsPath('deal')}/${this.#deal}`, at, { data })
      return false
    }
    await until(goOn, { withinMs: patienceMs, everyMs: 10, what: () => this.#look() })
  }

  /** Remembers what a server that has died has left as done. */
  async remember(): Promise<void> {
    for (const step of ((await this.#run())?.steps ?? []) as Json[])
      if (step.status === 'success') this.#done.set(step.block_id, step)
    if (this.#done.has('post')) this.#posted ??= this.#requests('/step').length
  }

  /** The outcome, without what differs from round to round. */
  async outcome(): Promise<Json> {
    const { numberedEvents, workspaceId } = this.#stage.observer
    await numberedEvents.end(await workspaceId('acme'))
    const { steps, status, exit_block_id: exit } = await this.#run()
    for (const [block, step] of this.#done) expect(steps.find(({ block_id }: Json) => block_id === block)).toEqual(step)
    if (this.#posted !== undefined)
      expect(this.#requests('/step').length, 'requests of a step that was done').toBe(this.#posted)
    const { attributes } = (await this.#api(`${recordsPath('deal')}/${this.#deal}`)).data
    const events = (await this.#events()).map(({ attributes: { type, object, data } }) => [
      type,
      object,
      (data.diff ?? []).map(({ path, val }: Json) => [...path, val]),
    ])
    const said = JSON.stringify({
      run: [status, exit],
      steps: steps.map(({ block_id, status: how, error }: Json) => [block_id, how, error]),
      deal: [attributes.stage, attributes.amount, attributes.next_step ?? null],
      feed: (await this.#feed()).flatMap(({ attributes: { data } }): string[] => data.map(({ type }: Json) => type)),
      events,
      ids: ['/step', '/hook'].map((path) => [path, this.#ids(path).size]),
      deliveries: (await this.#deliveries()).map(({ event: { type }, status: how }) => [type, how]),
    })
    return JSON.parse(
      said.replaceAll(this.#mark, 'the mark').replaceAll(this.#deal!, 'the deal').replaceAll(idShape, 'an id'),
    )
  }

  async #isAtRest(): Promise<boolean> {
    const { run, deliveries } = await this.#look()
    return (
      ended.has(run?.status) &&
      deliveries.length === this.#stage.scenario.deliveries &&
      deliveries.every(({ status }: Json) => status === 'succeeded')
    )
  }

  async #look(): Promise<Json> {
    return { run: await this.#run(), deliveries: await this.#deliveries() }
  }

  async #api(path: string, query: Record<string, string> = {}): Promise<Json> {
    const { status, body } = await this.#stage.observer.api.get(path, { as: 'adminKey', query })
    if (status !== 200) throw new Error(`${path} cannot be read: ${JSON.stringify(body)}`)
    return body
  }

  async #run(): Promise<Json> {
    const { path, run } = workflowsOf(this.#stage.observer)
    if (this.#deal === undefined) return undefined
    const { data } = await this.#api(`${path}/${this.#stage.workflowId}/runs`, { 'filter[record_id]': this.#deal })
    expect(data.length, 'runs of the deal').toBeLessThanOrEqual(1)
    return data[0] && (await run(data[0].id, 'adminKey')).attributes
  }

  async #deliveries(): Promise<Json[]> {
    const { data } = await this.#api(`/workspaces/acme/webhooks/${this.#stage.webhookId}/deliveries`, {
      'page[limit]': '1000',
    })
    return data.map(({ attributes }: Json) => attributes).filter(({ event }: Json) => event.record_id === this.#deal)
  }

  async #events(): Promise<Json[]> {
    return (await this.#api('/workspaces/acme/events', { 'filter[record]': this.#deal!, limit: '200' })).data
  }

  async #feed(): Promise<Json[]> {
    return (await this.#api(`${recordsPath('deal')}/${this.#deal}/activities`)).data
  }

  #requests = (path: string): Received[] =>
    this.#stage.got.filter((one) => one.path === path && one.text.includes(this.#deal!))

  #ids = (path: string): Set<unknown> => new Set(this.#requests(path).map(({ headers }) => headers['webhook-id']))
}

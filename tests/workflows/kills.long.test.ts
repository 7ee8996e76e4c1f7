import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { apiOf } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { longRun, say } from '../harness/long-run.ts'
import { receiver, status } from '../harness/receiver.ts'
import { nextNumber, recordsPath } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const key = 'a key of at least thirty-two characters'
const app = await startApp({ encryptionKeys: [key] })
const settings = { ENCRYPTION_KEYS: key, WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }
const { create, path, run } = workflowsOf(app)

const own = { object: 'deal', record_id: '{{trigger.state.event.object._id}}' }

/** Leases of the server that died last run out, and what was refused is tried again. */
const settleMs = 120_000

const workflow = (url: string): Json => ({
  name: 'Killed',
  enabled: true,
  ...chain(
    { plugin_id: 'on:svc:create:record', input: { object: 'deal' } },
    { key: 'before', plugin_id: 'svc:create:comment', input: { ...own, message: 'Before' } },
    { key: 'pause', plugin_id: 'general:delay:for', input: { amount: 0.005, unit: 'minutes' } },
    { key: 'post', plugin_id: 'webhook:send:outbound', input: { url, body: { deal: own.record_id } } },
    { key: 'change', plugin_id: 'svc:update:record', input: { ...own, attributes: { amount: 7 } } },
    { key: 'after', plugin_id: 'svc:create:comment', input: { ...own, message: 'After' } },
  ),
})

/** Deals that a client was told of; it sends each until it is answered. */
class Client {
  readonly deals: string[] = []
  #pending: string | undefined

  async create(baseUrl: string): Promise<void> {
    this.#pending ??= `Deal ${nextNumber()}`
    const name = this.#pending
    const answer = await apiOf(app.http, baseUrl, app.credentials)
      .post(recordsPath('deal'), {
        as: 'memberKey',
        headers: { 'Idempotency-Key': name },
        body: { data: { type: 'deal', attributes: { name } } },
      })
      .catch(() => undefined)
    if (answer === undefined || answer.status >= 500) return
    expect([answer.status, answer.body.errors]).toEqual([201, undefined])
    this.deals.push(answer.body.data.id)
    this.#pending = undefined
  }
}

/** Runs as they were last seen: what was done is never another. */
class Runs {
  readonly #id: string
  readonly #ended = new Map<string, Json>()
  readonly #done = new Map<string, Json>()

  constructor(id: string) {
    this.#id = id
  }

  get doneSteps(): number {
    return this.#done.size
  }

  /** Looks at all that had not ended; returns all, by their records. */
  async look(): Promise<Map<string, Json[]>> {
    const all: Json[] = []
    for (let next: string | null = `${path}/${this.#id}/runs?page[limit]=200`; next !== null;) {
      const { body }: { body: Json } = await app.api.get(next, { as: 'adminKey' })
      all.push(...body.data)
      next = body.links?.next ?? null
    }
    for (const { id } of all) {
      if (this.#ended.has(id)) continue
      const { attributes } = await run(id, 'adminKey')
      for (const step of attributes.steps.filter((one: Json) => one.status === 'success')) {
        const name = `${id} ${step.block_id}`
        expect(step, 'a step that was done').toEqual(this.#done.get(name) ?? step)
        this.#done.set(name, step)
      }
      if (attributes.ended_at !== null) this.#ended.set(id, attributes)
    }
    const found = all.map(({ id, attributes }) => this.#ended.get(id) ?? attributes)
    return Map.groupBy(found, ({ record_id }) => record_id)
  }

  /** Retries those that failed because their step was under way in two kills (0271). */
  async retryLost(): Promise<number> {
    const lost = [...this.#ended].filter(([, ended]) => ended.status === 'failed')
    for (const [id, { error }] of lost) {
      expect([id, error.code]).toEqual([id, 'worker_lost'])
      const body = { from: 'failed' }
      const answer = await app.api.post(`/workspaces/acme/workflow-runs/${id}/retry`, { as: 'adminKey', body })
      expect([answer.status, answer.body.errors]).toEqual([200, undefined])
      this.#ended.delete(id)
    }
    return lost.length
  }
}

test('servers that are killed while runs go on finish each of them, once', { timeout: 600_000 }, async () => {
  const { rounds, random } = longRun(12)
  const there = await receiver()
  const refused = new Set<unknown>()
  there.always((response, request) => {
    const id = request.headers['webhook-id']
    const isRefused = !refused.has(id) && random.between(1, 20) === 1
    if (isRefused) refused.add(id)
    setTimeout(() => status(isRefused ? 500 : 200)(response, request), random.between(0, 100))
  })
  const { id } = await create(workflow(there.url))
  const clients = [new Client(), new Client()]
  const runs = new Runs(id)
  for (let round = 1; round <= rounds; round++) {
    const server = await startServer(app.databaseUrl, settings)
    const until = performance.now() + random.between(300, 1700)
    await Promise.all(
      clients.map(async (client) => {
        while (performance.now() < until) {
          await client.create(server.baseUrl)
          await sleep(random.between(0, 100))
        }
      }),
    )
    await server.kill()
    await runs.look()
  }
  const last = await startServer(app.databaseUrl, settings)
  const deals = clients.flatMap((client) => client.deals)
  const left = async (): Promise<string[]> => {
    const found = await runs.look()
    return deals.filter(
      (deal) => found.get(deal)?.[0]?.ended_at === undefined || found.get(deal)?.[0]?.ended_at === null,
    )
  }
  const settle = async () => {
    for (const began = performance.now(); (await left()).length > 0 && performance.now() - began < settleMs;)
      await sleep(500)
    expect(await left()).toEqual([])
  }
  await settle()
  const retried = await runs.retryLost()
  await settle()
  const found = await runs.look()
  for (const deal of deals) {
    const [one, ...others] = found.get(deal) ?? []
    expect([one?.status, others.length]).toEqual(['success', 0])
    const done = one?.steps.filter(({ status: became }: Json) => became === 'success')
    expect(done.map((step: Json) => step.block_id)).toEqual(['before', 'pause', 'post', 'change', 'after'])
    const query = { 'filter[record]': deal, limit: '200' }
    const { body } = await app.api.get('/workspaces/acme/events', { as: 'adminKey', query })
    expect(body.data.map(({ attributes }: Json) => attributes.type)).toEqual([
      'record.created',
      'comment.created',
      'record.updated',
      'comment.created',
    ])
  }
  const ids = Map.groupBy(there.got, ({ body }) => body.deal)
  for (const deal of deals)
    expect(new Set(ids.get(deal)?.map(({ headers }) => headers['webhook-id'])).size, deal).toBe(1)
  say(`${deals.length} runs, ${retried} retried, ${runs.doneSteps} steps, ${there.got.length} requests`)
  expect(await last.terminate()).toBe(0)
})

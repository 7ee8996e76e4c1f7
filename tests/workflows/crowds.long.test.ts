import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { apiOf } from '../harness/api.ts'
import { startApp, type TestApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { say } from '../harness/long-run.ts'
import type { Caller } from '../harness/people.ts'
import { startServer } from '../harness/server-process.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const many = 1000
const heapMb = 256
const endMs = 180_000

const onDeal = { plugin_id: 'on:svc:create:record', input: { object: 'deal' } }
const own = { object: 'deal', record_id: '{{trigger.state.event.object._id}}' }
const comment = { key: 'comment', plugin_id: 'svc:create:comment', input: { ...own, message: 'Seen' } }
const change = { key: 'change', plugin_id: 'svc:update:record', input: { ...own, attributes: { amount: 7 } } }

/** A server with little memory: what grows with what waits ends it. */
const startSmall = (app: TestApp) =>
  startServer(app.databaseUrl, { NODE_OPTIONS: `--max-old-space-size=${heapMb}`, LOG_LEVEL: 'error' })

const counting = (app: TestApp, workspace: string, as: Caller) => {
  const { path } = workflowsOf(app, workspace)
  return async (id: string, status?: string): Promise<number> => {
    const query = { 'page[limit]': 1, ...(status !== undefined && { 'filter[status]': status }) }
    return (await app.api.get(`${path}/${id}/runs`, { as, query })).body.meta.total_records
  }
}

const until = async (holds: () => Promise<boolean>): Promise<number> => {
  const began = performance.now()
  for (; !(await holds()); await sleep(50)) if (performance.now() - began > endMs) throw new Error('It does not end')
  return performance.now() - began
}

test(
  'a thousand runs at once of one workflow end, and those of another workspace need not wait for them',
  { timeout: 300_000 },
  async () => {
    const app = await startApp()
    const busy = (
      await workflowsOf(app).create({ name: 'Busy', enabled: true, ...chain(onDeal, comment, change) }, 'adminKey')
    ).id
    const quiet = (
      await workflowsOf(app, 'other').create(
        { name: 'Quiet', enabled: true, ...chain(onDeal, comment, change) },
        'strangerKey',
      )
    ).id
    const server = await startSmall(app)
    const { post } = apiOf(app.http, server.baseUrl, app.credentials)
    const makeDeals = async (workspace: string, as: Caller, count: number) => {
      const data = Array.from({ length: count }, (_, index) => ({
        type: 'deal',
        attributes: { name: `Deal ${index}` },
      }))
      expect((await post(`/workspaces/${workspace}/objects/deal/records/bulk`, { as, body: { data } })).status).toBe(
        201,
      )
    }
    const ofBusy = counting(app, 'acme', 'adminKey')
    const ofQuiet = counting(app, 'other', 'strangerKey')
    await makeDeals('acme', 'adminKey', many)
    await until(async () => (await ofBusy(busy)) > 0)
    await makeDeals('other', 'strangerKey', 10)
    const busyBefore = await ofBusy(busy, 'success')
    const quietMs = await until(async () => (await ofQuiet(quiet, 'success')) === 10)
    const busyThen = (await ofBusy(busy, 'success')) - busyBefore
    const busyMs = await until(async () => (await ofBusy(busy, 'success')) === many)
    say(
      `ten runs took ${Math.round(quietMs)} ms, while ${busyThen} of ${many} others ended; ` +
        `these took ${Math.round(busyMs)} ms more`,
    )
    expect(busyThen).toBeLessThan(many / 2)
    expect(await ofBusy(busy)).toBe(many)
    expect(await eventsOf(app)).toEqual({ 'record.created': many, 'comment.created': many, 'record.updated': many })
    expect(server.output()).not.toMatch(/"level":[56]0/)
    expect(await server.terminate()).toBe(0)
  },
)

test('a thousand workflows that one event triggers have a run each, and all end', { timeout: 300_000 }, async () => {
  const app = await startApp()
  const { create } = workflowsOf(app)
  const task = { key: 'task', plugin_id: 'svc:create:record', input: { object: 'task', attributes: { title: 'Call' } } }
  const ids: string[] = []
  for (let made = 0; made < many; made += 10)
    ids.push(
      ...(await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const graph = chain(onDeal, task, comment)
          return (await create({ name: `One ${made + index}`, enabled: true, ...graph }, 'adminKey')).id as string
        }),
      )),
    )
  const server = await startSmall(app)
  const { post } = apiOf(app.http, server.baseUrl, app.credentials)
  const data = { type: 'deal', attributes: { name: 'The one' } }
  expect((await post('/workspaces/acme/objects/deal/records', { as: 'adminKey', body: { data } })).status).toBe(201)
  const tasks = async (): Promise<number> => {
    const query = { 'page[limit]': 1 }
    return (await app.api.get('/workspaces/acme/objects/task/resources', { as: 'adminKey', query })).body.meta
      .total_records
  }
  const tookMs = await until(async () => (await tasks()) === many)
  say(`a thousand runs of as many workflows took ${Math.round(tookMs)} ms`)
  const count = counting(app, 'acme', 'adminKey')
  for (const id of ids) {
    await until(async () => (await count(id, 'success')) === 1)
    expect(await count(id)).toBe(1)
  }
  expect(await eventsOf(app)).toMatchObject({ 'comment.created': many, 'record.created': many + 1 })
  expect(server.output()).not.toMatch(/"level":[56]0/)
  expect(await server.terminate()).toBe(0)
})

/** Counts the events of each type about records of acme. */
async function eventsOf(app: TestApp): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (let after = 0; ;) {
    const query = { after, limit: 200 }
    const { data, meta }: Json = (await app.api.get('/workspaces/acme/events', { as: 'adminKey', query })).body
    for (const { attributes } of data)
      if (/^(record|comment)\./.test(attributes.type)) counts[attributes.type] = (counts[attributes.type] ?? 0) + 1
    if (meta.next_after === after || meta.next_after >= meta.last_sequence) return counts
    after = meta.next_after
  }
}

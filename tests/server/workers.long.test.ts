import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import { apiOf } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { receiver, verify } from '../harness/receiver.ts'
import { recordsOf } from '../harness/records.ts'
import { startServer, startWorker } from '../harness/server-process.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { chain } from '../harness/workflows.ts'

const key = 'a key of at least thirty-two characters'
const app = await startApp({ encryptionKeys: [key] })
const settings = { ENCRYPTION_KEYS: key, WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }
const W = '/workspaces/acme'

const startSilent = () => startServer(app.databaseUrl, { ...settings, KONTOR_JOBS: '0' })
const work = (more: Record<string, string> = {}) => startWorker(app.databaseUrl, { ...settings, ...more })

const hook = (url: string, object: string) =>
  webhooksOf(app).create({ url, events: ['record.created'], filter: { object } })

/** Waits until something is as expected. */
async function until<T>(look: () => Promise<T | false>, withinMs = 60_000): Promise<T> {
  for (const from = performance.now(); performance.now() < from + withinMs; await sleep(50)) {
    const found = await look()
    if (found !== false) return found
  }
  throw new Error('Nothing came of it in time')
}

const readiness = async (origin: string): Promise<unknown> => {
  const response = await fetch(`${origin}/readyz`)
  return [response.status, ((await response.json()) as Json).status]
}

describe.runIf(inject('database') === 'postgres')('workers beside a server without jobs', { timeout: 120_000 }, () => {
  test('carry workflows and webhooks, and say how they are', async () => {
    const [server, ...workers] = await Promise.all([startSilent(), work(), work()])
    const api = apiOf(app.http, server.baseUrl, app.credentials)
    const there = await receiver()
    const { secret } = await hook(there.url, 'deal')
    const say = { object: 'deal', record_id: '{{trigger.state.event.object._id}}', message: 'Seen.' }
    const workflow = await api.post(`${W}/workflows`, {
      body: {
        name: 'Says so',
        enabled: true,
        ...chain(
          { plugin_id: 'on:svc:create:record', input: { object: 'deal' } },
          { key: 'say', plugin_id: 'svc:create:comment', input: say },
        ),
      },
    })
    expect(workflow.status).toBe(201)
    const total = 40
    const made = await recordsOf({ api }).createMany(
      'deal',
      Array.from({ length: total }, (_, index) => ({ name: `Deal ${index}` })),
    )
    await there.until(total)
    expect(new Set(there.got.map(({ body }) => body.record_id))).toEqual(new Set(made.map(({ id }: Json) => id)))
    for (const request of there.got) verify(request, secret)
    const runs = `${W}/workflows/${workflow.body.data.id}/runs`
    await until(async () => {
      const { body } = await api.get(runs, { query: { 'filter[status]': 'success', 'page[limit]': '100' } })
      return body.data.length === total
    })
    for (const { origin } of workers) {
      expect(await readiness(origin)).toEqual([200, 'ready'])
      const metrics = await (await fetch(`${origin}/metrics`)).text()
      expect(metrics).toMatch(/^kontor_job_lag_seconds /m)
      expect((await fetch(`${origin}/v1`)).status).toBe(404)
    }
    expect(await Promise.all([server, ...workers].map(({ terminate }) => terminate()))).toEqual([0, 0, 0])
  })

  test('take over from one that is killed', async () => {
    const first = await work()
    const there = await receiver()
    // No answer to the first: the worker has the job, and waits.
    there.answer(() => undefined)
    await hook(there.url, 'company')
    await recordsOf(app).create('company', { name: 'Held' })
    await there.until(1)
    const second = await work()
    await first.kill()
    await recordsOf(app).create('company', { name: 'Later' })
    await until(async () => there.got.length >= 3, 90_000)
    const [held, ...others] = there.got
    const ids = others.map(({ headers }) => headers['webhook-id'])
    expect(ids).toContain(held!.headers['webhook-id'])
    expect(new Set(ids).size).toBe(2)
    expect(await second.terminate()).toBe(0)
  })

  test('hand back what they have when they are told to stop, and others have it at once', async () => {
    const first = await work()
    const there = await receiver()
    there.answer(() => undefined)
    await hook(there.url, 'task')
    await recordsOf(app).create('task', { title: 'Held' })
    await there.until(1)
    const second = await work()
    const from = performance.now()
    expect(await first.terminate()).toBe(0)
    await there.until(2)
    // Others would take it from a worker that is dead after 30 seconds.
    expect(performance.now() - from).toBeLessThan(20_000)
    expect(there.got[1]!.headers['webhook-id']).toBe(there.got[0]!.headers['webhook-id'])
    expect(await second.terminate()).toBe(0)
  })

  test('need the key of the servers', async () => {
    await expect(work({ ENCRYPTION_KEYS: '' })).rejects.toThrow(
      /ended with 1: A worker requires the encryption key of the servers/,
    )
  })
})

test.runIf(inject('database') === 'sqlite')('on SQLite, the server itself runs the jobs', async () => {
  await expect(work()).rejects.toThrow(/ended with 1: A worker requires Postgres: on SQLite, the server itself runs/)
  await expect(startSilent()).rejects.toThrow(/ended with 1: KONTOR_JOBS=0 requires Postgres/)
})

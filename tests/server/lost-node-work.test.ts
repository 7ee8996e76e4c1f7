import { describe, expect, inject, test } from 'vitest'
import { startApp, type TestApp } from '../harness/app.ts'
import { openAt } from '../harness/database.ts'
import { exportsOf } from '../harness/exports.ts'
import type { Json } from '../harness/http.ts'
import { nodeOfItsOwn } from '../harness/lost-node.ts'
import { receiver } from '../harness/receiver.ts'
import { until } from '../harness/until.ts'

/** Makes a webhook of a workspace stop by itself, by a receiver that responds with 410. */
async function stopWebhook({ api }: TestApp, workspace: string, as: 'admin' | 'stranger', url: string): Promise<void> {
  const path = `/workspaces/${workspace}/webhooks`
  const { status, body } = await api.post(path, { as, body: { url, events: ['list.deleted'] } })
  expect(status).toBe(201)
  const { id } = body.data
  expect((await api.post(`${path}/${id}/test`, { as })).status).toBe(202)
  const isEnabled = async () => (await api.get(`${path}/${id}`, { as })).body.data.attributes.enabled
  await until(async () => !(await isEnabled()))
}

/** Values of the metrics that begin with `kontor_`, by name and labels. */
async function figures({ http, origin }: TestApp): Promise<Readonly<Record<string, number>>> {
  const { body } = await http.send({ method: 'GET', url: `${origin}/metrics` })
  const lines = (body as string).split('\n').filter((line) => line.startsWith('kontor_'))
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

describe.runIf(inject('database') === 'postgres')('while a node does not answer', () => {
  test('the figures of what waits are those of the other nodes, and say that one is missing', async () => {
    const app = await startApp({ fieldIndexThreshold: 5 })
    await app.startJobs()
    const there = await receiver()
    there.always((response) => void response.writeHead(410).end())
    const build = async (workspace: string, as: 'admin' | 'stranger'): Promise<void> => {
      await stopWebhook(app, workspace, as, there.url)
      const path = `/workspaces/${workspace}/objects/company`
      for (let number = 0; number < 6; number++) {
        const body = { data: { type: 'company', attributes: { name: `Company ${number}`, industry: 'Tech' } } }
        expect((await app.api.post(`${path}/records`, { as, body })).status).toBe(201)
      }
      await app.api.get(`${path}/resources`, { as, query: { 'filter[industry]': 'Tech' } })
    }
    await build('acme', 'admin')
    await build('other', 'stranger')
    const counted = async (): Promise<Json> => {
      const found = await figures(app)
      return {
        lost: found['kontor_nodes_lost'],
        unnumbered: found['kontor_outbox_waiting'],
        unread: found['kontor_event_consumer_waiting{consumer="webhooks"}'],
        stopped: found['kontor_webhooks_stopped{reason="gone"}'],
        ready: found['kontor_field_indexes{state="ready"}'],
      }
    }
    const all = { lost: 0, unnumbered: 0, unread: 0, stopped: 2, ready: 2 }
    await expect.poll(counted, { timeout: 30_000 }).toEqual(all)
    const tables = ['outbox', 'event_cursor', 'event_head', 'event', 'webhook', 'field_index_state', 'record']
    const node = await nodeOfItsOwn(app.databaseUrl, await app.workspaceId('acme'), tables)
    await node.lose()
    await expect.poll(counted, { timeout: 30_000 }).toEqual({ ...all, lost: 1, stopped: 1, ready: 1 })
    await node.restore()
    await expect.poll(counted, { timeout: 30_000 }).toEqual(all)
    app.takeErrors()
  })

  test('its jobs are claimed once, and run once it is back', async () => {
    const app = await startApp()
    const mine = exportsOf(app)
    const theirs = exportsOf(app, 'stranger', 'other')
    const node = await nodeOfItsOwn(app.databaseUrl, await app.workspaceId('acme'), ['record', 'data_export'])
    const { status, body } = await mine.create({ kind: 'records', object: 'person' })
    expect(status).toBe(202)
    const database = openAt(app.databaseUrl)
    const ofMine = { kind: 'exports.run', workspace_id: await app.workspaceId('acme') }
    const attempts = async (): Promise<number> => {
      const [job] = await database.reader.query<{ attempt: number; leased_by: string | null }>(({ knex }) =>
        knex('job').select('attempt', 'leased_by').where(ofMine),
      )
      return job?.leased_by === null ? job.attempt : -1
    }
    await node.lose()
    await app.startJobs()
    await until(async () => (await attempts()) === 1)
    for (let turn = 0; turn < 3; turn++) {
      await app.advance(60_000)
      const made = await theirs.create({ kind: 'records', object: 'person' })
      expect((await theirs.ended(made.body.data.id)).state).toBe('completed')
    }
    expect(await attempts()).toBe(1)
    await node.restore()
    expect((await mine.ended(body.data.id)).state).toBe('completed')
    await database.close()
    app.takeErrors()
  })
})

import { createRestClient, records, resources } from '@kontor/client'
import { describe, expect, inject, test } from 'vitest'
import { startApp, type TestApp } from '../harness/app.ts'
import { share } from '../harness/grants.ts'
import type { Caller } from '../harness/people.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { postgresWithStandby } from '../harness/standby.ts'
import { until } from '../harness/until.ts'
import { nameOnly } from '../schemas/name-only.ts'
import { open } from '../db/fresh.ts'

const idsAt = async (of: TestApp, as: Caller, headers: Record<string, string> = {}): Promise<string[]> => {
  const { status, body } = await of.api.get(resourcesPath('company'), { as, headers })
  expect(status).toBe(200)
  return body.data.map(({ id }: { id: string }) => id)
}

// A standby is part of Postgres.
describe.runIf(inject('database') === 'postgres')('reads of a standby', async () => {
  if (inject('database') !== 'postgres') return
  const postgres = await postgresWithStandby()
  const app = await startApp({
    databaseUrl: postgres.url,
    replicas: { urls: [postgres.standbyUrl], lagMs: 5000 },
    fieldIndexThreshold: 5,
  })
  const node = await startApp({ beside: app, replicas: { urls: [postgres.standbyUrl], lagMs: 5000 } })
  /** It serves nothing that is older. */
  const strict = await startApp({ beside: app, replicas: { urls: [postgres.standbyUrl], lagMs: 100 } })
  const { create, list } = recordsOf(app)

  const figure = async (name: string, of: TestApp = app): Promise<number> => {
    const { body } = await of.http.send({ method: 'GET', url: `${of.origin}/metrics` })
    return Number(new RegExp(`^kontor_database_${name} (\\S+)$`, 'm').exec(String(body))?.[1])
  }
  const served = (of?: TestApp): Promise<number> => figure('replica_reads_total', of)

  /** Reads until the standby serves it. */
  const followed = (of: TestApp = app): Promise<unknown> =>
    until(async () => {
      const before = await served(of)
      await of.api.get(resourcesPath('company'), { as: 'viewer' })
      return (await served(of)) > before
    })

  const paused = async <T>(work: () => Promise<T>): Promise<T> => {
    await Promise.all([app, node, strict].map(followed))
    await postgres.onStandby('select pg_wal_replay_pause()')
    await until(async () => {
      const [row] = await postgres.onStandby('select pg_get_wal_replay_pause_state() as state')
      return row?.['state'] === 'paused'
    })
    try {
      return await work()
    } finally {
      await postgres.onStandby('select pg_wal_replay_resume()')
    }
  }

  test('it serves lists, queries, searches, aggregates, SQL and includes, but no single records', async () => {
    const { id } = await create('company', { name: 'Acme' })
    await followed()
    const reads = [
      () => list('company', { include: 'people' }),
      () => app.api.post(`${resourcesPath('company')}/query`, { body: {} }),
      () => app.api.post(`${resourcesPath('company')}/aggregate`, { body: { measures: [{ function: 'count' }] } }),
      () => app.api.post('/workspaces/acme/search', { body: { query: 'acme' } }),
      () => app.api.post('/workspaces/acme/sql', { body: { sql: 'select count(*) from company' } }),
      () => app.api.get(`${resourcesPath('company')}/${id}`, { query: { include: 'people' } }),
      () => app.api.get(`/workspaces/acme/objects/company/records/${id}/activities`),
    ]
    for (const read of reads) {
      const before = await served()
      expect((await read()).status, String(read)).toBe(200)
      expect(await served(), String(read)).toBeGreaterThan(before)
    }
    const before = await served()
    await recordsOf(app).get('company', id)
    await app.api.get('/workspaces/acme/settings')
    expect(await served()).toBe(before)
  })

  test('callers see what they have written, on other servers by the position that the change returned', async () => {
    await paused(async () => {
      const { status, body, headers } = await recordsOf(app).post('company', { name: 'Written' })
      expect(status).toBe(201)
      const { id } = body.data
      expect(await idsAt(app, 'member')).toContain(id)
      const position = String(headers['x-svc-position'])
      expect(position).toMatch(/^[0-9A-F]{16}$/)
      expect(await idsAt(node, 'member', { 'X-Svc-Position': position })).toContain(id)
      // A position that is none of ours is no reason to show less.
      expect(await idsAt(node, 'viewer', { 'X-Svc-Position': 'latest' })).toContain(id)
    })
  })

  test('clients name the position of the changes of their connection by themselves', async () => {
    await paused(async () => {
      // A balancer that sends changes to one server and reads to another.
      const connection = {
        url: app.baseUrl,
        accessToken: app.credentials.cast.tokens.member,
        fetch: (url: string | URL | Request, init?: RequestInit) =>
          fetch(init?.method === 'GET' && typeof url === 'string' ? url.replace(app.baseUrl, node.baseUrl) : url, init),
      }
      const company = { workspace: 'acme', object: 'company' }
      const data = { type: 'company', attributes: { name: 'By the client' } }
      const made = await createRestClient(connection).call(records.create, { ...company, body: { data } })
      const { body } = await createRestClient(connection).call(resources.list, company)
      expect(body.data.map(({ id }) => id)).toContain(made.body.data.id)
    })
  })

  test('pollers by time read from the primary, on every page', async () => {
    const query = { 'filter[_updated_at][Is after]': '2020-01-01T00:00:00Z', 'page[limit]': 1 }
    await create('company', { name: 'First' })
    await paused(async () => {
      const before = await served(node)
      const { id } = await create('company', { name: 'Last' })
      const page = await node.api.get(resourcesPath('company'), { as: 'viewer', query })
      expect(page.body.meta.total_records).toBeGreaterThan(1)
      let next: string | null = page.body.links.next
      let last = page
      while (next !== null) {
        last = await node.api.get(next.replace(app.baseUrl, node.baseUrl), { as: 'viewer' })
        next = last.body.links.next
      }
      expect(last.body.data[0].id).toBe(id)
      expect(await served(node)).toBe(before)
    })
  })

  test('nothing is read by schemas that the standby does not have yet', async () => {
    const object = await schemasOf(app).make(nameOnly)
    await create(object, { name: 'A' })
    await paused(async () => {
      await changesOf(app).edit(object, (properties) => (properties['code'] = { type: 'string' }))
      const { status, body } = await app.api.get(resourcesPath(object), { as: 'viewer' })
      expect(status).toBe(200)
      expect(body.data[0].attributes).toHaveProperty('code')
    })
  })

  test('an index that the standby does not have yet is not used there', async () => {
    const object = await schemasOf(app).make({ ...nameOnly, size: { type: 'number' } })
    await recordsOf(app).createMany(
      object,
      Array.from({ length: 8 }, (_, size) => ({ name: `${size}`, size })),
    )
    const query = { 'filter[size][Greater than]': 2, 'filter[size][Less than]': 5 }
    const totalFor = async (as: Caller): Promise<number> =>
      (await app.api.get(resourcesPath(object), { as, query })).body.meta.total_records
    await paused(async () => {
      // The list asks for the index, which is built on the primary.
      expect(await totalFor('viewer')).toBe(2)
      await app.startJobs()
      await app.indexes.ready()
      await create(object, { name: 'Another', size: 3 })
      expect(await totalFor('member')).toBe(3)
      expect(await totalFor('viewer')).toBeGreaterThanOrEqual(2)
    })
  })

  test('a standby that lags is left out, and used again; what was withdrawn is gone by then', async () => {
    const { id } = await create('meeting', { title: 'Talk' })
    const grant = await share(app.api.post, `meeting/records/${id}`, app.userIds.viewer, 'view')
    const meetings = async (): Promise<string[]> =>
      (await strict.api.get(resourcesPath('meeting'), { as: 'viewer' })).body.data.map((one: { id: string }) => one.id)
    expect(await meetings()).toContain(id)
    await paused(async () => {
      await app.api.delete(`/workspaces/acme/objects/meeting/records/${id}/access/${grant}`)
      await until(async () => !(await meetings()).includes(id))
      await until(async () => (await figure('replicas_in_use', strict)) === 0)
      const { id: late } = await create('company', { name: 'Late' })
      expect(await idsAt(strict, 'viewer')).toContain(late)
    })
    await followed(strict)
  })

  test('a standby that stops fails no read, and is used again once it is back', async () => {
    await followed()
    await postgres.stopStandby()
    expect(await idsAt(app, 'viewer')).not.toHaveLength(0)
    const { body } = await app.http.send({ method: 'GET', url: `${app.origin}/readyz` })
    expect(body).toEqual({ status: 'ready', replicas: { total: 1, in_use: 0 } })
    await postgres.startStandby()
    await followed()
  })

  test('reads that the standby ends for its primary run there', async () => {
    await postgres.onPrimary(`create function crossed() returns boolean language plpgsql as
      'begin
        if pg_is_in_recovery() then raise ''conflict with recovery'' using errcode = ''40001''; end if;
        return true; end'`)
    const database = open(postgres.url, { replicas: { urls: [postgres.standbyUrl], lagMs: 5000 } })
    const reading = () =>
      database.replicas!.reads({ credential: 'one', position: undefined, isFit: async () => true }).tx
    const isStandby = async () =>
      (await reading().query<{ yes: boolean }>(({ knex }) => knex.raw('select pg_is_in_recovery() as yes')))[0]?.yes
    await until(isStandby)
    const crossed = (tx = reading()) => tx.query(({ knex }) => knex.raw('select crossed()'))
    await until(async () => (await crossed()).length === 1)
    expect(await crossed()).toEqual([{ crossed: true }])
    expect(await reading().inOneState((tx) => crossed(tx))).toEqual([{ crossed: true }])
  })
})

import { describe, expect, inject, test } from 'vitest'
import { startApp, type TestApp } from '../harness/app.ts'
import { dropDatabase } from '../harness/postgres.ts'
import { receiver } from '../harness/receiver.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { until } from '../harness/until.ts'
import { webhooksOf } from '../harness/webhooks.ts'

const app = await startApp({ rateLimitPerMinute: 20, standingStill: true })
const token = 'a-token-of-the-operator'
const guarded = await startApp({ metricsToken: token, beside: app })

const read = ({ http, origin }: TestApp, headers: Record<string, string> = {}) =>
  http.send({ method: 'GET', url: `${origin}/metrics`, headers })

type Sample = { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly value: number }

/** Every line of the text format (prometheus.io/docs/instrumenting/exposition_formats); fails for one that is none. */
function parse(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !/^# (HELP|TYPE) [a-z0-9_]+ .+$/.test(line))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      expect(name, line).not.toBe('')
      return {
        name,
        labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text_]) => [key, text_])),
        value: Number(value),
      }
    })
}

/** It ends what hangs, and judges nothing. */
const patience = { timeout: 30_000 }

const samples = async (of: TestApp = app) => parse((await read(of)).body)

async function valueOf(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  return (await samples()).find(
    (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  )?.value
}

/** Our series, whatever their statuses. */
const series = async () =>
  new Set(
    (await samples())
      .filter(({ name }) => name.startsWith('kontor_'))
      .map(({ name, labels }) => `${name}${JSON.stringify({ ...labels, status: undefined })}`),
  )

describe('who may read', () => {
  test('this machine, where there is no token, but not what a proxy on it passes on', async () => {
    expect((await read(app)).status).toBe(200)
    for (const header of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via']) {
      const { status, headers, body } = await read(app, { [header]: '203.0.113.7' })
      expect([status, body.errors[0].code, body.errors[0].id]).toEqual([403, 'forbidden', headers['x-request-id']])
    }
  })

  test('callers with the token, where there is one', async () => {
    expect((await read(guarded, { Authorization: `Bearer ${token}` })).status).toBe(200)
    expect((await read(guarded, { Authorization: `Bearer ${token}`, 'X-Forwarded-For': '203.0.113.7' })).status).toBe(
      200,
    )
    for (const wrong of [
      '',
      token,
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      `Bearer ${app.credentials.cast.tokens.admin}`,
    ]) {
      const { status, body, headers } = await read(guarded, wrong === '' ? {} : { Authorization: wrong })
      expect([status, body.errors[0].code]).toEqual([401, 'unauthenticated'])
      expect(headers['www-authenticate']).toBe('Bearer realm="metrics"')
    }
  })
})

describe('what they say', () => {
  test('is a number that can be, however soon after the last reading', async () => {
    for (let reading = 0; reading < 5; reading++) {
      for (const { name, value } of await samples())
        expect([name, Number.isFinite(value) && (!name.startsWith('nodejs_eventloop') || value < 3600)]).toEqual([
          name,
          true,
        ])
    }
  })

  test('is the text format of Prometheus', async () => {
    // The event loop is looked at every 10 ms, and says nothing of itself before.
    await until(async () => (await valueOf('nodejs_eventloop_lag_p99_seconds')) !== undefined)
    const { headers, body } = await read(app)
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    const names = new Set(parse(body).map(({ name }) => name))
    for (const name of [
      'kontor_requests_in_flight',
      'kontor_held_bytes',
      'kontor_rate_limited_total',
      'kontor_pool_waiting',
      'kontor_build_info',
      'process_cpu_seconds_total',
      'nodejs_heap_size_used_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ]) {
      expect(names.has(name), name).toBe(true)
    }
    const databaseNames =
      inject('database') === 'postgres'
        ? ['connections', 'connections_idle', 'connections_max', 'connections_waiting']
        : ['writer_waiting', 'commits_total', 'committed_requests_total', 'readers', 'reads_waiting']
    for (const name of databaseNames) expect(names.has(`kontor_database_${name}`), name).toBe(true)
    expect(await valueOf('kontor_build_info', { database: inject('database') })).toBe(1)
  })

  test('calls by operation, surface and status, with a histogram that adds up', async () => {
    const path = '/workspaces/acme/users'
    await app.api.get(path)
    await app.api.get(path, { query: { bogus: 1 } })
    await app.trpc().users.list.query({ workspace: 'acme' })
    await app.http.send({
      method: 'POST',
      url: `${app.origin}/actions/users.list`,
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${app.credentials.cast.tokens.admin}` },
      body: '{"workspace":"acme"}',
    })
    const count = (surface: string, status: string) =>
      valueOf('kontor_call_duration_seconds_count', { operation: 'users.list', surface, status })
    expect([
      await count('rest', '200'),
      await count('rest', '400'),
      await count('trpc', '200'),
      await count('actions', '200'),
    ]).toEqual([1, 1, 1, 1])
    const buckets = (await samples()).filter(
      ({ name, labels }) =>
        name === 'kontor_call_duration_seconds_bucket' &&
        labels['operation'] === 'users.list' &&
        labels['surface'] === 'rest' &&
        labels['status'] === '200',
    )
    expect(buckets.map(({ value }) => value)).toEqual(buckets.map(({ value }) => value).toSorted((a, b) => a - b))
    expect(buckets.at(-1)).toMatchObject({ labels: { le: '+Inf' }, value: 1 })
    expect(
      await valueOf('kontor_call_duration_seconds_sum', { operation: 'users.list', surface: 'rest', status: '200' }),
    ).toBeGreaterThan(0)
  })

  test('each call of a batch by itself, and the answer as one', async () => {
    const before = [
      await valueOf('kontor_call_duration_seconds_count', { operation: 'schemas.get', surface: 'trpc', status: '200' }),
      await valueOf('kontor_http_responses_total', { status: '200' }),
    ]
    const input = encodeURIComponent(
      JSON.stringify(Object.fromEntries([0, 1, 2].map((index) => [index, { workspace: 'acme', object: 'deal' }]))),
    )
    await app.http.send({
      method: 'GET',
      url: `${app.origin}/trpc/schemas.get,schemas.get,schemas.get?batch=1&input=${input}`,
      headers: { Authorization: `Bearer ${app.credentials.cast.tokens.admin}` },
    })
    expect([
      await valueOf('kontor_call_duration_seconds_count', { operation: 'schemas.get', surface: 'trpc', status: '200' }),
      await valueOf('kontor_http_responses_total', { status: '200' }),
    ]).toEqual([(before[0] ?? 0) + 3, before[1]! + 1])
  })

  test('statements and the time that the database took, by operation', async () => {
    const created = await app.api.post(recordsPath('person'), {
      body: { data: { type: 'person', attributes: { job_title: 'Admiral' } } },
    })
    await app.api.get(`${recordsPath('person')}/${created.body.data.id}`)
    for (const operation of ['records.create', 'records.get']) {
      expect(await valueOf('kontor_database_statements_total', { operation })).toBeGreaterThan(0)
      expect(await valueOf('kontor_database_seconds_total', { operation, phase: 'statements' })).toBeGreaterThan(0)
    }
    expect(
      await valueOf('kontor_database_seconds_total', { operation: 'records.create', phase: 'commit' }),
    ).toBeGreaterThan(0)
    expect(await valueOf('kontor_database_seconds_total', { operation: 'records.get', phase: 'commit' })).toBe(0)
    const taken = await valueOf('kontor_call_duration_seconds_sum', { operation: 'records.create', status: '201' })
    const phases = await Promise.all(
      ['wait', 'statements', 'commit'].map((phase) =>
        valueOf('kontor_database_seconds_total', { operation: 'records.create', phase }),
      ),
    )
    expect(phases.reduce<number>((sum, seconds) => sum + seconds!, 0)).toBeLessThanOrEqual(taken!)
  })

  test('what was limited, and answers to paths that there are not', async () => {
    const before = (await valueOf('kontor_rate_limited_total'))!
    for (let call = 0; call < 22; call++) await app.api.get('/workspaces/acme/api-keys')
    expect(await valueOf('kontor_rate_limited_total')).toBe(before + 2)
    expect(await valueOf('kontor_call_duration_seconds_count', { operation: 'apiKeys.list', status: '429' })).toBe(2)
    const unknown = (await valueOf('kontor_http_responses_total', { status: '404' })) ?? 0
    await app.api.get('/no/such/path/anywhere')
    expect(await valueOf('kontor_http_responses_total', { status: '404' })).toBe(unknown + 1)
  })

  test('what waits in the database: events, jobs, and indexes that are being built', async () => {
    const busy = await startApp({ fieldIndexThreshold: 5 })
    const value = async (name: string, state?: string) =>
      (await samples(busy)).find((one) => one.name === name && one.labels['state'] === state)?.value
    expect([
      await value('kontor_jobs', 'waiting'),
      await value('kontor_field_indexes', 'building'),
      await value('kontor_field_index_records_left'),
    ]).toEqual([0, undefined, 0])
    // The keys of the people who call have events too.
    const before = (await value('kontor_outbox_waiting')) ?? 0
    await recordsOf(busy).createMany(
      'company',
      Array.from({ length: 10 }, (_, index) => ({ name: `Company ${index}`, industry: 'Tech' })),
    )
    await recordsOf(busy).list('company', { 'filter[industry]': 'Tech' })
    await busy.advance(60_000)
    expect([
      await value('kontor_jobs', 'waiting'),
      await value('kontor_field_indexes', 'building'),
      await value('kontor_field_index_records_left'),
    ]).toEqual([1, 1, 10])
    expect(await value('kontor_job_lag_seconds')).toBeGreaterThanOrEqual(60)
    for (const state of ['scheduled', 'running', 'failed'])
      expect(await value('kontor_jobs', state)).toBeGreaterThanOrEqual(0)
    // SQLite numbers its events as it writes them, so there none waits.
    const [events, lag] = [await value('kontor_outbox_waiting'), await value('kontor_outbox_lag_seconds')]
    if (inject('database') === 'postgres') expect([events, lag! >= 60]).toEqual([before + 10, true])
    else expect([events, lag]).toEqual([0, 0])
  })

  test('what jobs have come to, and how far those are behind that follow events', async () => {
    const working = await startApp()
    const ofKind = async (name: string, labels: Record<string, string>) =>
      (await samples(working)).find(
        (one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
      )?.value
    const { _id: id } = await webhooksOf(working).create({ url: 'https://example.com/hook', events: ['list.deleted'] })
    const consumer = 'webhooks'
    expect(await ofKind('kontor_job_runs_total', { kind: 'events.trim' })).toBeUndefined()
    await working.startJobs()
    await expect.poll(() => ofKind('kontor_job_runs_total', { kind: 'events.trim' }), patience).toBe(1)
    expect(await ofKind('kontor_job_failures_total', { kind: 'events.trim' })).toBeUndefined()
    await expect.poll(() => ofKind('kontor_event_consumer_waiting', { consumer }), patience).toBe(0)
    expect(await ofKind('kontor_event_consumer_lag_seconds', { consumer })).toBe(0)
    expect(await ofKind('kontor_webhooks_stopped', {})).toBeUndefined()
    const there = await receiver()
    there.always((response) => void response.writeHead(410).end())
    await webhooksOf(working).update(id, { url: there.url })
    await webhooksOf(working).test(id)
    await expect.poll(() => ofKind('kontor_webhooks_stopped', { reason: 'gone' }), patience).toBe(1)
  })

  test.runIf(inject('database') === 'postgres')('everything else, where the database does not answer', async () => {
    const forsaken = await startApp()
    await dropDatabase(new URL(forsaken.databaseUrl).pathname.slice(1))
    const names = new Set((await samples(forsaken)).map(({ name }) => name))
    expect(names.has('kontor_database_connections')).toBe(true)
    expect(names.has('kontor_jobs')).toBe(false)
  })

  test('nothing of a workspace: labels are names of operations, and never more of them', async () => {
    await app.api.get(`${recordsPath('person')}/a-customer-secret`, { query: { 'a-customer-secret': 1 } })
    const before = await series()
    for (let call = 0; call < 5; call++) {
      await app.api.get(`${recordsPath('person')}/a-customer-secret-${call}`, { query: { 'a-customer-secret': 1 } })
      await app.http.send({ method: 'GET', url: `${app.origin}/trpc/a-customer-secret.${call}?input=%7B%7D` })
      await app.http.send({ method: 'POST', url: `${app.origin}/actions/a-customer-secret.${call}` })
    }
    expect(await series()).toEqual(before)
    const text = (await read(app)).body
    for (const secret of ['a-customer-secret', 'acme', app.userIds.admin, ...Object.values(app.credentials.keys)])
      expect(text).not.toContain(secret)
  })
})

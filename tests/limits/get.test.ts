import { expect, test } from 'vitest'
import { contract } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import type { Answer, Json } from '../harness/http.ts'
import { recordsPath, resourcesPath } from '../harness/records.ts'
import { isFull } from '../harness/size.ts'

const path = '/workspaces/acme/limits'
const unlimited = await startApp()
const { api } = await startApp({ rateLimitPerMinute: 60, standingStill: true, beside: unlimited })

const limitsOf = async (as: 'admin' | 'member' | 'viewer' | 'workspaceKey' = 'admin') =>
  (await api.get(path, { as })).body.data.attributes
const rateOf = async (operation: string, as?: 'admin' | 'member') =>
  (await limitsOf(as)).rate_limits.find((one: Json) => one.operation === operation)

test('tells of every operation that is counted, in its own words and in its own bucket', async () => {
  const { status, headers, body } = await api.get(path, { as: 'viewer' })
  expect(status).toBe(200)
  expect(body.meta).toEqual({ counted_by: 'server' })
  const operations = Object.entries(contract).flatMap(([domain, endpoints]) =>
    Object.entries(endpoints)
      .filter(([, { caller }]) => caller !== 'public' && caller !== 'address')
      .map(([key]) => `${domain}.${key}`),
  )
  expect(body.data.attributes.rate_limits.map((one: Json) => one.operation)).toEqual(operations)
  for (const { operation, ...rate } of body.data.attributes.rate_limits) {
    const untouched = {
      policy: 'default',
      counted_for: operation === 'workspaces.list' ? 'caller' : 'workspace',
      limit: 60,
      window_seconds: 60,
      remaining: 60,
      reset_seconds: 0,
    }
    expect(rate).toEqual(operation === 'limits.get' ? { ...untouched, remaining: 59, reset_seconds: 1 } : untouched)
  }
  expect(headers['x-ratelimit-remaining']).toBe('59')
})

test('agrees with the headers of the operation that was called, for all callers in the workspace', async () => {
  for (let call = 0; call < 7; call++) await api.get('/workspaces/acme/users', { as: 'member' })
  const { headers } = await api.get('/workspaces/acme/users', { as: 'workspaceKey' })
  expect(await rateOf('users.list', 'admin')).toMatchObject({
    limit: Number(headers['x-ratelimit-limit']),
    remaining: Number(headers['x-ratelimit-remaining']),
    reset_seconds: Number(headers['x-ratelimit-reset']),
  })
})

test('looks without taking from other buckets; each caller sees his own of those outside of workspaces', async () => {
  await api.get('/workspaces', { as: 'member' })
  for (let look = 0; look < 3; look++) {
    expect((await rateOf('workspaces.list', 'member')).remaining).toBe(59)
    expect((await rateOf('workspaces.list', 'admin')).remaining).toBe(60)
  }
})

test('lists no rate limits where there are none', async () => {
  const { body } = await unlimited.api.get(path, { as: 'member' })
  expect(body.data.attributes.rate_limits).toEqual([])
  expect(body.data.attributes.requests.url_bytes).toBe(8192)
})

test('is for members: another workspace has none', async () => {
  expect((await unlimited.api.get(path, { as: 'stranger' })).status).toBe(404)
  expect((await unlimited.api.get(path, { as: 'anonymous' })).status).toBe(401)
})

// Each limit is tried: at what it says it holds, one beyond it does not.
const { requests, pages, records, filters, search, idempotency } = (await unlimited.api.get(path)).body.data.attributes
const firstCode = ({ body }: Answer): string | undefined => (body?.error?.data.body ?? body)?.errors?.[0]?.code

const ask = (url: string) =>
  unlimited.http.send({
    method: 'GET',
    url: unlimited.origin + url,
    headers: { Authorization: `Bearer ${unlimited.credentials.cast.tokens.admin}` },
  })
const noId = '019b2f6e-7a00-7000-8000-000000000001'
const person = { data: { type: 'person', attributes: {} } }
const condition = { field: 'job_title', op: 'Is', value: 'x' }

const sized = (bytes: number) => JSON.stringify({ data: 'x'.repeat(bytes - 11) })
const urlStart = '/v1/workspaces/acme/users?x='
const urlOf = (bytes: number) => `${urlStart}${'a'.repeat(bytes - urlStart.length)}`

function batchOf(count: number): string {
  const names = Array.from({ length: count }, () => 'users.list').join(',')
  const input = JSON.stringify(
    Object.fromEntries(Array.from({ length: count }, (_, index) => [index, { workspace: 'acme' }])),
  )
  return `/trpc/${names}?batch=1&input=${encodeURIComponent(input)}`
}

const sortedBy = (columns: number) => {
  const query = Object.fromEntries(
    Array.from({ length: columns }, (_, index) => [
      [`sortOrder[${index}][column]`, 'job_title'],
      [`sortOrder[${index}][dir]`, 'ASC'],
    ]).flat(),
  )
  return unlimited.api.get(resourcesPath('person'), { query })
}

const remove = (count: number) =>
  unlimited.api.delete(recordsPath('person'), { body: { items: Array.from({ length: count }, () => noId) } })
const filtered = (filter: Json) => unlimited.api.post(`${resourcesPath('person')}/query`, { body: { filter } })
const all = (count: number) => filtered({ and: Array.from({ length: count }, () => condition) })
const nested = (depth: number): Json => (depth === 0 ? condition : { not: nested(depth - 1) })
const listed = (count: number) =>
  filtered({ field: '_id', op: 'One of', value: Array.from({ length: count }, () => noId) })
const along = async (references: number) =>
  (await filtered({ ...condition, field: `person.${'company_id.'.repeat(references)}name` })).body.errors[0].detail
const keyed = (key: string) =>
  unlimited.api.post(recordsPath('person'), { headers: { 'Idempotency-Key': key }, body: person })

const across = (query: string, limit = 1) => unlimited.api.post('/workspaces/acme/search', { body: { query, limit } })
const among = async () =>
  (await unlimited.api.get(resourcesPath('task'), { query: { search: 'counted', 'page[limit]': 1 } })).body.meta
const tasks = (count: number) =>
  unlimited.api.post(`${recordsPath('task')}/bulk`, {
    body: { data: Array.from({ length: count }, () => ({ type: 'task', attributes: { title: 'Counted' } })) },
  })

test('bodies', async () => {
  for (const [target, bytes] of [
    [recordsPath('person'), requests.body_bytes],
    [`${recordsPath('person')}/bulk`, requests.bulk_body_bytes],
  ] as const) {
    expect(Buffer.byteLength(sized(bytes))).toBe(bytes)
    expect(firstCode(await unlimited.api.post(target, { body: sized(bytes) }))).toBe('invalid_body')
    const over = await unlimited.api.post(target, { body: sized(bytes + 1) })
    expect([firstCode(over), over.body.errors[0].meta]).toEqual(['payload_too_large', { limit_bytes: bytes }])
  }
})

test('URLs', async () => {
  expect(firstCode(await ask(urlOf(requests.url_bytes)))).toBe('unknown_parameter')
  expect(firstCode(await ask(urlOf(requests.url_bytes + 1)))).toBe('uri_too_long')
})

test('batches', async () => {
  expect((await ask(batchOf(requests.batch_calls))).status).toBe(200)
  expect(firstCode(await ask(batchOf(requests.batch_calls + 1)))).toBe('invalid_parameter')
})

test('pages', async () => {
  expect((await unlimited.api.get(resourcesPath('person'))).body.meta.limit).toBe(pages.records_default)
  const { body } = await unlimited.api.post(recordsPath('person'), { body: person })
  const activities = (limit: number) =>
    unlimited.api.get(`${recordsPath('person')}/${body.data.id}/activities`, { query: { 'page[limit]': limit } })
  expect((await activities(pages.activities_max)).status).toBe(200)
  expect(firstCode(await activities(pages.activities_max + 1))).toBe('invalid_parameter')
  expect((await sortedBy(pages.sort_columns)).status).toBe(200)
  expect((await sortedBy(pages.sort_columns + 1)).status).toBe(400)
})

test('records', async () => {
  expect(firstCode(await remove(records.bulk_items))).toBe('not_found')
  expect(firstCode(await remove(records.bulk_items + 1))).toBe('invalid_body')
})

test('what was deleted', async () => {
  const created = await unlimited.api.post(recordsPath('person'), { body: person })
  await unlimited.api.delete(`${recordsPath('person')}/${created.body.data.id}`)
  const isThere = async () =>
    (await unlimited.api.get('/workspaces/acme/objects/person/deleted-resources')).body.data.some(
      ({ id }: Json) => id === created.body.data.id,
    )
  const day = 24 * 3_600_000
  await unlimited.advance(records.deleted_kept_days * day - 60_000)
  expect(await isThere()).toBe(true)
  await unlimited.advance(120_000)
  expect(await isThere()).toBe(false)
})

test.runIf(isFull())('search', async () => {
  expect((await across('x'.repeat(search.characters))).status).toBe(200)
  expect((await across('x'.repeat(search.characters + 1))).status).toBe(422)
  expect((await across('x', search.records)).status).toBe(200)
  expect((await across('x', search.records + 1)).status).toBe(422)
  await tasks(search.counted)
  expect([await among(), (await across('counted')).body.meta]).toEqual([
    { total_records: search.counted, total_pages: search.counted, offset: 0, limit: 1 },
    { total_records: search.counted },
  ])
  await tasks(1)
  expect([await among(), (await across('counted')).body.meta]).toEqual([
    { total_records: search.counted, total_pages: search.counted, offset: 0, limit: 1, total_capped: true },
    { total_records: search.counted, total_capped: true },
  ])
})

test('filters', async () => {
  expect((await all(filters.conditions)).status).toBe(200)
  expect((await all(filters.conditions + 1)).status).toBe(422)
  expect((await filtered(nested(filters.depth))).status).toBe(200)
  expect((await filtered(nested(filters.depth + 1))).status).toBe(400)
  expect((await listed(filters.values)).status).toBe(200)
  expect((await listed(filters.values + 1)).status).toBe(422)
  expect(await along(filters.references)).not.toMatch(/at most \d+ relationships/)
  expect(await along(filters.references + 1)).toMatch(/at most \d+ relationships/)
})

test('idempotency', async () => {
  const key = 'k'.repeat(idempotency.key_characters)
  expect((await keyed(key)).status).toBe(201)
  expect(firstCode(await keyed(`${key}k`))).toBe('invalid_parameter')
  await unlimited.advance(idempotency.kept_hours * 3_600_000 - 60_000)
  expect((await keyed(key)).headers['idempotency-replayed']).toBe('true')
  await unlimited.advance(120_000)
  expect((await keyed(key)).headers['idempotency-replayed']).toBeUndefined()
})

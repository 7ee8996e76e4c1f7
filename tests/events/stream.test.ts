import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { followEvents } from '../harness/event-stream.ts'
import { logOf } from '../harness/events.ts'
import type { Json } from '../harness/http.ts'
import { openAnswer } from '../harness/open-answer.ts'
import { createKey } from '../harness/people.ts'
import { nextNumber, recordsOf } from '../harness/records.ts'

const app = await startApp()
const { api } = app
const log = logOf(app)
const records = recordsOf(app)
const W = '/workspaces/acme'
await log.end()

const brief = ({ attributes: { type, record_id } }: Json): string => `${type} ${record_id}`

const told = (events: readonly Json[], count: number) =>
  expect.poll(() => events.length, { timeout: 30_000, interval: 5 }).toBeGreaterThanOrEqual(count)

test('tells events as they happen, as the list has them, and is neither compressed nor cached', async () => {
  const stream = await followEvents(app)
  expect(stream.response.status).toBe(200)
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(stream.response.headers.get('content-encoding')).toBeNull()
  expect(stream.response.headers.get('cache-control')).toBe('no-store')
  const before = (await log.page({ limit: '1' })).meta.last_sequence
  const { id } = await records.create('deal', { name: 'Big' })
  await told(stream.events, 1)
  expect(stream.text()).toMatch(/^retry: \d+\n\n/)
  const { at: _, ...event } = stream.events[0]
  const sequence = stream.ids[0]!
  expect(sequence).toBe(before + 1)
  const { data } = await log.page({ after: String(before) })
  expect(event).toEqual(data[0])
  expect(event.attributes).toMatchObject({ type: 'record.created', record_id: id, sequence })
})

test('goes on where it was: nothing is missed and nothing comes twice', async () => {
  const before = await log.end()
  const first = await followEvents(app, { query: { after: String(before) } })
  const ids = (
    await records.createMany(
      'deal',
      Array.from({ length: 150 }, () => ({})),
    )
  ).map(({ id }: Json) => id)
  await told(first.events, 150)
  first.stop()
  await first.ended
  const { id: late } = await records.create('deal', {})
  const last = first.ids.at(-1)!
  const second = await followEvents(app, { lastEventId: String(last), query: { after: '0' } })
  await told(second.events, 1)
  const { id: latest } = await records.create('deal', {})
  await told(second.events, 2)
  const all = [...first.events, ...second.events]
  expect(all.map(brief)).toEqual([...ids, late, latest].map((id) => `record.created ${id}`))
  expect([...first.ids, ...second.ids]).toEqual(all.map((_, index) => before + 1 + index))
})

test('is filtered, and says how far all was looked through', async () => {
  const stream = await followEvents(app, { query: { 'filter[object]': 'person', 'filter[type]': 'record.created' } })
  await records.create('deal', {})
  const { id } = await records.create('person', {})
  await told(stream.events, 1)
  expect(stream.events.map(brief)).toEqual([`record.created ${id}`])
})

test('of a record that there cannot be, it tells nothing', async () => {
  const after = String((await log.end()) - 1)
  const [of, all] = [
    await followEvents(app, { query: { after, 'filter[record]': 'no id' } }),
    await followEvents(app, { query: { after } }),
  ]
  await records.create('deal', {})
  await told(all.events, 2)
  expect(of.events).toEqual([])
  expect(await Promise.race([of.ended, Promise.resolve('open')])).toBe('open')
})

test('hidden records are not in it', async () => {
  const [mine, theirs] = [await followEvents(app, { as: 'member' }), await followEvents(app, { as: 'viewer' })]
  const { id: meeting } = await records.create('meeting', { title: `Talk ${nextNumber()}` })
  const { id: person } = await records.create('person', {})
  await told(mine.events, 2)
  await told(theirs.events, 1)
  expect(mine.events.map(brief)).toEqual([`record.created ${meeting}`, `record.created ${person}`])
  expect(theirs.events.map(brief)).toEqual([`record.created ${person}`])
  expect(theirs.text()).not.toContain(meeting)
})

test('ends when the key is revoked, and when the member is removed', async () => {
  const { id, key } = await createKey(api.post, 'admin', { scopes: ['events:read', 'records:read'] })
  const withKey = await followEvents(app, { as: { authorization: `api-key ${key}` } })
  const colleague = await app.addMember('member', 'leaver')
  const asMember = await followEvents(app, { as: colleague.as })
  await records.create('deal', {})
  await told(withKey.events, 1)
  await told(asMember.events, 1)
  await api.delete(`${W}/api-keys/${id}`)
  await api.delete(`${W}/users/${colleague.id}`)
  const { id: secret } = await records.create('deal', {})
  expect(await Promise.all([withKey.ended, asMember.ended])).toEqual([true, true])
  expect(withKey.text()).not.toContain(secret)
  expect(asMember.text()).not.toContain(secret)
})

async function refused(options: Parameters<typeof followEvents>[1]) {
  const { response } = await followEvents(app, options)
  const { errors } = JSON.parse(await response.text())
  return [response.status, errors[0].source ?? null]
}

test('refuses before it begins: without the scope, elsewhere, and from a position that there is not', async () => {
  const { key } = await createKey(api.post, 'admin', { scopes: ['records:read'] })
  expect(await refused({ as: { authorization: `api-key ${key}` } })).toEqual([403, null])
  expect(await refused({ as: 'stranger' })).toEqual([404, null])
  expect(await refused({ as: 'anonymous' })).toEqual([401, null])
  expect(await refused({ query: { after: '999999' } })).toEqual([400, { parameter: 'after' }])
  expect(await refused({ lastEventId: '999999' })).toEqual([400, { header: 'Last-Event-ID' }])
  expect(await refused({ lastEventId: 'x' })).toEqual([400, { header: 'Last-Event-ID' }])
  expect(await refused({ query: { 'filter[type]': 'record.painted' } })).toEqual([400, expect.anything()])
})

test('answers HEAD with its head, and is there over REST alone', async () => {
  const head = await openAnswer(app, `${W}/events/stream`, { method: 'HEAD' })
  expect(head.statusCode).toBe(200)
  expect(head.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  head.resume()
  for (const path of ['/trpc/events.stream?input=%7B%7D', '/actions/events.stream'])
    expect((await api.get(`${app.origin}${path}`)).status).toBe(404)
  expect((await api.post(`${app.origin}/actions/events.stream`, { body: { workspace: 'acme' } })).status).toBe(404)
})

test('a follower that does not read holds up no other, and goes on from there when it does', async () => {
  const lazy = await openAnswer(app, `${W}/events/stream`)
  const eager = await followEvents(app)
  const text = 'x'.repeat(20_000)
  const total = 300
  for (let made = 0; made < total; made += 20)
    await records.createMany(
      'person',
      Array.from({ length: 20 }, () => ({ description: text })),
    )
  await told(eager.events, total)
  let seen = ''
  lazy.on('data', (chunk: Buffer) => (seen += chunk.toString())).resume()
  await expect.poll(() => seen.match(/^id: /gm)?.length ?? 0, { timeout: 30_000 }).toBeGreaterThanOrEqual(total)
  const numbers = [...seen.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
  expect(numbers).toEqual(eager.ids.slice(0, numbers.length))
  lazy.destroy()
})

test('tells what many write at once in the order of the log', async () => {
  const streams = await Promise.all(Array.from({ length: 5 }, () => followEvents(app)))
  await Promise.all(Array.from({ length: 60 }, () => records.create('deal', {})))
  for (const { events, ids } of streams) {
    await told(events, 60)
    expect(ids).toEqual(ids.map((_, index) => ids[0]! + index))
  }
})

test('the end of the server is the end of the stream', async () => {
  const other = await startApp()
  const stream = await followEvents(other)
  const logged = logOf(other)
  await logged.end()
  await told(stream.events, 1)
  await other.endStreams()
  expect(await stream.ended).toBe(true)
  const { response } = await followEvents(other)
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)])
})

test('limits the streams of a credential with 429, and those of a workspace with 503', async () => {
  const limited = await startApp({ streams: { ofCredential: 2, ofWorkspace: 3 }, beside: app })
  const open = async (as: 'admin' | 'member' | 'adminKey') => followEvents(limited, { as })
  const refusal = async (as: Parameters<typeof open>[0]) => {
    const { response } = await open(as)
    const [error] = ((await response.json()) as Json).errors
    return [response.status, error.code, response.headers.get('retry-after')]
  }
  const first = await open('member')
  await open('member')
  expect(await refusal('member')).toEqual([429, 'rate_limited', '5'])
  expect((await open('adminKey')).response.status).toBe(200)
  expect(await refusal('admin')).toEqual([503, 'overloaded', '5'])
  first.stop()
  await expect.poll(async () => (await open('member')).response.status).toBe(200)
})

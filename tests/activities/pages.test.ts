import { beforeAll, describe, expect, test } from 'vitest'
import { activitiesOf } from '../harness/activities.ts'
import { startApp } from '../harness/app.ts'
import { commentsOf } from '../harness/comments.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, unknownId } from '../harness/records.ts'
import { someOf } from '../harness/size.ts'

const app = await startApp()
const records = recordsOf(app)
const comments = commentsOf(app)
const feed = activitiesOf(app)

const { id } = await records.create('person', {})
const middle = { time: '' }

/** Twelve activities: the creation, then by turns a change by the member, a comment and a change by the admin. */
beforeAll(async () => {
  for (let made = 0; made < 11; made++) {
    await app.advance(61_000)
    if (made === 5) middle.time = new Date(app.now()).toISOString()
    if (made % 3 === 1) await comments.create('person', id)
    else
      await records.patch('person', id, { job_title: `Job ${made}` }, {}, { as: made % 3 === 0 ? 'member' : 'admin' })
  }
})

const idsOf = ({ body }: { body: Json }): string[] => body.data.map((activity: Json) => activity.id)
const whole = async (query: Record<string, string | number> = {}) => idsOf(await feed.list('person', id, query))

test('the newest is first, all of them fit, and 500 are the most', async () => {
  const { body } = await feed.list('person', id)
  const times = body.data.map((activity: Json) => activity.attributes._created_at)
  expect(times).toEqual(times.toSorted().toReversed())
  expect(body.meta).toEqual({ total_records: 12, total_pages: 1, offset: 0, limit: 500 })
  expect((await feed.list('person', id, { 'page[limit]': 500 })).status).toBe(200)
  const { status, body: refused } = await feed.list('person', id, { 'page[limit]': 501 })
  expect([status, refused.errors[0].source]).toEqual([400, { parameter: 'page[limit]' }])
})

describe('every page', () => {
  const orders = [
    {},
    { 'sortOrder[column]': '_created_at', 'sortOrder[dir]': 'ASC' },
    { 'sortOrder[column]': '_created_at', 'sortOrder[dir]': 'DESC' },
  ] as const
  const filters = [
    {},
    { 'filter[actor]': app.userIds.member },
    { 'filter[type]': 'svc:update' },
    { 'filter[since]': '2000-01-01T00:00:00.000Z' },
  ] as const
  const lists = orders.flatMap((order) => filters.map((filter) => ({ ...order, ...filter })))

  test.for(someOf(lists, 4))('by offset, and by links both ways: %o', async (query) => {
    const all = await whole(query)
    expect(all.length).toBeGreaterThan(2)
    for (const limit of [1, 2, 5, all.length, 100]) {
      for (let offset = 0; offset < all.length + 2; offset++) {
        const answer = await feed.list('person', id, { ...query, 'page[limit]': limit, 'page[offset]': offset })
        expect(idsOf(answer)).toEqual(all.slice(offset, offset + limit))
        expect(answer.body.meta).toEqual({
          total_records: all.length,
          total_pages: Math.ceil(all.length / limit),
          offset,
          limit,
        })
        expect([answer.body.links.prev === null, answer.body.links.next === null], `${offset} ${limit}`).toEqual([
          offset === 0,
          offset + limit >= all.length,
        ])
      }
    }
    const forth: string[] = []
    let page = await feed.list('person', id, { ...query, 'page[limit]': 2 })
    for (;;) {
      forth.push(...idsOf(page))
      if (page.body.links.next === null) break
      page = await app.api.get(page.body.links.next)
    }
    expect(forth).toEqual(all)
    const back = [...idsOf(page)]
    while (page.body.links.prev !== null) {
      page = await app.api.get(page.body.links.prev)
      back.unshift(...idsOf(page))
    }
    expect(back).toEqual(all)
    expect(page.body.meta.offset).toBe(0)
  })
})

test('what happens meanwhile shifts no page that is followed by its link', async () => {
  const { id: busy } = await records.create('person', {})
  for (let made = 0; made < 4; made++) {
    await app.advance(61_000)
    await records.patch('person', busy, { job_title: `Job ${made}` })
  }
  const all = idsOf(await feed.list('person', busy))
  const first = await feed.list('person', busy, { 'page[limit]': 2 })
  await app.advance(61_000)
  await records.patch('person', busy, { job_title: 'Meanwhile' })
  const next = await app.api.get(first.body.links.next)
  expect(idsOf(next)).toEqual(all.slice(2, 4))
  expect(idsOf(await app.api.get(next.body.links.prev))).toEqual(all.slice(0, 2))
})

describe('filters', () => {
  test('by type', async () => {
    const found = await feed.all('person', id, { 'filter[type]': 'comment:create' })
    expect(found.map(({ attributes }) => attributes.data[0].type)).toEqual(
      Array.from({ length: 4 }, () => 'comment:create'),
    )
    expect(await feed.all('person', id, { 'filter[type]': 'svc:merge' })).toEqual([])
  })

  test('by actor', async () => {
    const found = await feed.all('person', id, { 'filter[actor]': app.userIds.admin })
    expect(found.map(({ attributes }) => attributes.data[0].actor._id)).toEqual(
      Array.from({ length: 3 }, () => app.userIds.admin),
    )
    for (const unknown of [unknownId, 'no-id'])
      expect((await feed.list('person', id, { 'filter[actor]': unknown })).body.meta.total_records).toBe(0)
  })

  test('by time: activities with an event at that instant or later, whole', async () => {
    expect(await whole({ 'filter[since]': middle.time })).toEqual((await whole()).slice(0, 6))
    const { id: other } = await records.create('person', {})
    await records.patch('person', other, { job_title: 'One' })
    await app.advance(30_000)
    const since = new Date(app.now()).toISOString()
    await records.patch('person', other, { job_title: 'Two' })
    expect(await feed.outline('person', other, { 'filter[since]': since })).toEqual(['svc:update 2'])
  })

  test('together', async () => {
    const query = { 'filter[since]': middle.time, 'filter[type]': 'svc:update', 'filter[actor]': app.userIds.member }
    expect((await feed.list('person', id, query)).body.meta.total_records).toBe(2)
  })

  const wrong: [string, string][] = [
    ['filter[type]', 'svc:dance'],
    ['filter[type]', ''],
    ['filter[since]', 'yesterday'],
    ['filter[since]', '2026-13-01T00:00:00Z'],
    ['filter[actor]', ''],
  ]
  test.for(wrong)('%s=%s: 400', async ([parameter, value]) => {
    const { status, body } = await feed.list('person', id, { [parameter]: value })
    expect([status, body.errors[0].source]).toEqual([400, { parameter }])
  })
})

describe('wrong orders and cursors: 400', () => {
  test('an unknown column, told what is allowed', async () => {
    const { status, body } = await feed.list('person', id, {
      'sortOrder[column]': '_creatd_at',
      'sortOrder[dir]': 'ASC',
    })
    expect([status, body.errors[0].code, body.errors[0].meta]).toEqual([
      400,
      'unknown_field',
      { allowed: ['_created_at'] },
    ])
    expect(body.errors[0].detail).toContain('Did you mean "_created_at"?')
    expect((await feed.list('person', id, { 'sortOrder[column]': '_created_at' })).status).toBe(400)
  })

  test('a cursor of another record, order or filter, or a damaged one', async () => {
    const { body } = await feed.list('person', id, { 'page[limit]': 2 })
    const cursor = new URL(body.links.next).searchParams.get('page[after]') as string
    const { id: other } = await records.create('person', {})
    const refusals = [
      feed.list('person', other, { 'page[after]': cursor }),
      feed.list('person', id, { 'page[after]': cursor, 'filter[type]': 'svc:update' }),
      feed.list('person', id, { 'page[after]': cursor, 'sortOrder[column]': '_created_at', 'sortOrder[dir]': 'ASC' }),
      feed.list('person', id, { 'page[after]': `${cursor}x` }),
      feed.list('person', id, { 'page[before]': 'nothing' }),
    ]
    for (const { status, body: refused } of await Promise.all(refusals))
      expect([status, refused.errors[0].code]).toEqual([400, 'cursor_mismatch'])
    expect((await feed.list('person', id, { 'page[after]': cursor, 'page[before]': cursor })).status).toBe(400)
  })
})

import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { RequestOptions } from '../harness/api.ts'
import type { Answer, Json } from '../harness/http.ts'
import type { Caller } from '../harness/people.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)

const list = (object: string, query: RequestOptions['query'] = {}, options: RequestOptions = {}): Promise<Answer> =>
  app.api.get(`/workspaces/acme/objects/${object}/deleted-resources`, { as: 'member', query, ...options })
const remove = (object: string, ...ids: string[]) => records.remove(object, ids)
const idsOf = ({ body }: Answer): string[] => body.data.map(({ id }: Json) => id)

test('what was deleted, the last first, as it was, with when and by whom', async () => {
  const company = await records.create('company', {})
  const [one, two, live] = await records.createMany('person', [
    { job_title: 'One', company_id: company.id },
    { job_title: 'Two' },
    {},
  ])
  await remove('person', one.id)
  await app.advance(1000)
  await app.api.delete(`${recordsPath('person')}/${two.id}`, { as: 'memberKey' })
  const answer = await list('person')
  expect(answer.body.meta).toEqual({ total_records: 2, total_pages: 1, offset: 0, limit: 50 })
  expect(answer.body.links).toEqual({ next: null, prev: null })
  expect(answer.body.data).toEqual(
    [two, one].map((made) => ({
      ...made,
      attributes: { ...made.attributes, _deleted_at: expect.any(String), _deleted_by: app.userIds.member },
    })),
  )
  const [last, first] = answer.body.data.map(({ attributes }: Json) => Date.parse(attributes._deleted_at))
  expect(last - first).toBeGreaterThanOrEqual(1000)
  expect(idsOf(answer)).not.toContain(live.id)
  await app.api.post(`${recordsPath('person')}/restore`, { body: { items: [one.id, two.id] } })
  expect((await list('person')).body).toMatchObject({ data: [], meta: { total_records: 0, total_pages: 0 } })
  expect((await list('deal')).body.data).toEqual([])
})

test('pages by links, both ways, and by offset are the whole list, also where many were deleted at once', async () => {
  const made = await records.createMany(
    'company',
    Array.from({ length: 23 }, () => ({})),
  )
  await remove('company', ...made.slice(0, 9).map(({ id }) => id))
  await app.advance(1000)
  await remove('company', ...made.slice(9).map(({ id }) => id))
  const all = idsOf(await list('company'))
  expect(new Set(all).size).toBe(23)
  const walked: string[] = []
  let page = await list('company', { 'page[limit]': 5 })
  const offsets: number[] = []
  for (;;) {
    walked.push(...idsOf(page))
    offsets.push(page.body.meta.offset)
    expect(page.body.meta.total_records).toBe(23)
    if (page.body.links.next === null) break
    page = await app.api.get(page.body.links.next, { as: 'member' })
  }
  expect([walked, offsets]).toEqual([all, [0, 5, 10, 15, 20]])
  const back: string[] = []
  for (;;) {
    back.unshift(...idsOf(page))
    if (page.body.links.prev === null) break
    page = await app.api.get(page.body.links.prev, { as: 'member' })
  }
  expect(back).toEqual(all)
  expect(idsOf(await list('company', { 'page[limit]': 5, 'page[offset]': 7 }))).toEqual(all.slice(7, 12))
  const without = await list('company', { 'page[limit]': 5, 'page[total]': 'none' })
  expect(without.body.meta).toEqual({ offset: 0, limit: 5 })
  expect((await app.api.get(without.body.links.next, { as: 'member' })).body.meta).toEqual({ offset: 5, limit: 5 })
})

test('a cursor of another list is refused', async () => {
  const { body } = await list('company', { 'page[limit]': 5 })
  const after = new URL(body.links.next).searchParams.get('page[after]')!
  for (const [object, cursor] of [
    ['person', after],
    ['company', 'nonsense'],
  ] as const)
    expect((await list(object, { 'page[after]': cursor })).body.errors[0].code).toBe('cursor_mismatch')
  expect((await list('company', { 'page[after]': after, 'page[before]': after })).body.errors[0].code).toBe(
    'invalid_parameter',
  )
  const plain = (await records.list('person', { 'page[limit]': 1 })).body.links.next
  expect(
    (await list('person', { 'page[after]': new URL(plain).searchParams.get('page[after]')! })).body.errors[0].code,
  ).toBe('cursor_mismatch')
})

/** The deleted meetings that a caller sees; the total says the same. */
async function shown(as: Caller): Promise<Set<string>> {
  const answer = await list('meeting', {}, { as })
  expect(answer.body.meta.total_records).toBe(answer.body.data.length)
  return new Set(idsOf(answer))
}

test('one sees what one could see before', async () => {
  const mine = await records.create('meeting', { title: 'Mine' })
  const theirs = await records.create('meeting', { title: 'Theirs' }, { as: 'admin' })
  await remove('meeting', mine.id)
  await app.api.delete(`${recordsPath('meeting')}/${theirs.id}`)
  expect(await shown('admin')).toEqual(new Set([mine.id, theirs.id]))
  expect(await shown('member')).toEqual(new Set([mine.id]))
  expect(await shown('viewer')).toEqual(new Set())
  expect(await shown('workspaceKey')).toEqual(new Set())
})

test('30 days later it is gone from the list', async () => {
  const { id } = await records.create('task', { title: 'Old' })
  await remove('task', id)
  await app.advance(30 * 24 * 3_600_000 - 60_000)
  expect(idsOf(await list('task'))).toEqual([id])
  await app.advance(120_000)
  expect((await list('task')).body).toMatchObject({ data: [], meta: { total_records: 0 } })
})

test('narrows and sorts by the time of the deletion, along links too', async () => {
  const made = await records.createMany(
    'deal',
    Array.from({ length: 6 }, () => ({})),
  )
  const times: string[] = []
  for (const { id } of made) {
    await app.advance(60_000)
    await remove('deal', id)
    const [last] = (await list('deal', { 'page[limit]': 1 })).body.data
    times.push(last.attributes._deleted_at)
  }
  const ids = made.map(({ id }) => id as string)
  const [, second, , fourth] = times as [string, string, string, string]
  expect(idsOf(await list('deal', { 'filter[_deleted_at][Is after]': second }))).toEqual(ids.slice(2).toReversed())
  expect(
    idsOf(
      await list('deal', { 'filter[_deleted_at][Is on or after]': second, 'filter[_deleted_at][Is before]': fourth }),
    ),
  ).toEqual([ids[2], ids[1]])
  expect(idsOf(await list('deal', { 'filter[_deleted_at]': second }))).toEqual([ids[1]])
  expect(idsOf(await list('deal', { 'filter[_deleted_at]': `<=${second}` }))).toEqual([ids[1], ids[0]])
  expect(idsOf(await list('deal', { 'filter[_deleted_at][Within]': 'last_year' }))).toEqual([])
  expect(idsOf(await list('deal', { 'sortOrder[column]': '_deleted_at', 'sortOrder[dir]': 'ASC' }))).toEqual(ids)
  const query = {
    'filter[_deleted_at][lte]': fourth,
    'sortOrder[column]': '_deleted_at',
    'sortOrder[dir]': 'ASC',
    'page[limit]': 3,
  }
  const first = await list('deal', query)
  expect([idsOf(first), first.body.meta.total_records]).toEqual([ids.slice(0, 3), 4])
  const next = await app.api.get(first.body.links.next, { as: 'member' })
  expect([idsOf(next), next.body.links.next]).toEqual([[ids[3]], null])
  expect(idsOf(await app.api.get(next.body.links.prev, { as: 'member' }))).toEqual(ids.slice(0, 3))
  const cursor = new URL(first.body.links.next).searchParams.get('page[after]') ?? ''
  expect((await list('deal', { ...query, 'sortOrder[dir]': 'DESC', 'page[after]': cursor })).body.errors[0].code).toBe(
    'cursor_mismatch',
  )
})

test('is filtered and sorted by nothing else', async () => {
  for (const [query, code, parameter] of [
    [{ 'filter[name]': 'x' }, 'unknown_field', 'filter[name]'],
    [{ 'filter[_deleted_at][Contains]': 'x' }, 'unknown_operator', 'filter[_deleted_at][Contains]'],
    [{ 'filter[_deleted_at]': 'soon' }, 'invalid_parameter', 'filter[_deleted_at]'],
    [{ 'sortOrder[column]': 'name', 'sortOrder[dir]': 'ASC' }, 'unknown_field', 'sortOrder[column]'],
  ] as const) {
    const { status, body } = await list('deal', query)
    expect([status, body.errors[0].code, body.errors[0].source]).toEqual([400, code, { parameter }])
  }
})

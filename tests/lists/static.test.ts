import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, unknownId } from '../harness/records.ts'
import { someOf } from '../harness/size.ts'
import { listsOf } from './lists.ts'

const app = await startApp()
const records = recordsOf(app)
const lists = listsOf(app)

const idsOf = (some: readonly Json[]): string[] => some.map(({ id }) => id)
const people = async (number: number): Promise<string[]> =>
  idsOf(
    await records.createMany(
      'person',
      Array.from({ length: number }, () => ({})),
    ),
  )

const told = async (): Promise<string[]> =>
  (await app.events()).map(({ type, record_id }) => `${type} ${record_id}`).toSorted()

describe('membership', () => {
  test('what is added is there once, oldest first, and told once', async () => {
    const ids = await people(3)
    const { id: list } = await lists.create('person')
    await app.events()
    expect((await lists.add('person', list, [ids[2]!, ids[0]!, ids[2]!])).body).toEqual({})
    expect(await told()).toEqual([`list.entry_added ${ids[0]}`, `list.entry_added ${ids[2]}`].toSorted())
    expect(await lists.members('person', list)).toEqual({ ids: [ids[0], ids[2]], total: 2 })
    expect((await lists.add('person', list, ids)).status).toBe(200)
    expect(await told()).toEqual([`list.entry_added ${ids[1]}`])
    expect(await lists.members('person', list)).toEqual({ ids, total: 3 })
  })

  test('what is removed is gone, and what was not there is passed over', async () => {
    const ids = await people(3)
    const { id: list } = await lists.create('person')
    await lists.add('person', list, ids.slice(0, 2))
    await app.events()
    expect((await lists.take('person', list, [ids[1]!, ids[2]!, unknownId, 'nothing'])).body).toEqual({})
    expect(await told()).toEqual([`list.entry_removed ${ids[1]}`])
    expect(await lists.members('person', list)).toEqual({ ids: [ids[0]], total: 1 })
  })

  test('stands in the feed of the record', async () => {
    const [id] = (await people(1)) as [string]
    const { id: list } = await lists.create('person')
    await lists.add('person', list, [id])
    await lists.take('person', list, [id])
    const { body } = await app.api.get(`/workspaces/acme/objects/person/records/${id}/activities`)
    expect(
      body.data.slice(0, 2).map(({ attributes }: Json) => [attributes.data[0].type, attributes.data[0].object.diff]),
    ).toEqual([
      ['svc:remove-from-list', [{ op: 'delete', path: ['lists'], val: null, oldVal: list }]],
      ['svc:add-to-list', [{ op: 'add', path: ['lists'], val: list, oldVal: null }]],
    ])
  })

  test('is not told of a hidden list', async () => {
    const [id] = (await people(1)) as [string]
    const { id: list } = await lists.create('person')
    await lists.add('person', list, [id])
    const feed = async (as: 'member' | 'viewer') =>
      JSON.stringify((await app.api.get(`/workspaces/acme/objects/person/records/${id}/activities`, { as })).body.data)
    expect(await feed('member')).toContain(list)
    expect(await feed('viewer')).not.toMatch(new RegExp(`${list}|svc:add-to-list`))
  })

  test('a record that does not exist, or is of another object, is named, and nothing is added', async () => {
    const [id] = (await people(1)) as [string]
    const company = await records.create('company', {})
    const { id: list } = await lists.create('person')
    const unknown = await lists.add('person', list, [id, unknownId, company.id, 'nothing'])
    expect([unknown.status, unknown.body.errors[0].code, unknown.body.errors[0].meta.ids]).toEqual([
      404,
      'related_not_found',
      [unknownId, company.id, 'nothing'],
    ])
    const wrong = await app.api.post(`${lists.path('person', list)}/resources`, {
      as: 'member',
      body: {
        data: [
          { type: 'person', id },
          { type: 'company', id: company.id },
        ],
      },
    })
    expect([wrong.status, wrong.body.errors[0].source]).toEqual([422, { pointer: '/data/1/type' }])
    expect((await lists.members('person', list)).total).toBe(0)
  })

  test('of a dynamic list is none of the callers business', async () => {
    const [id] = (await people(1)) as [string]
    const { id: list } = await lists.create('person', {
      query: { filter: { field: 'job_title', op: 'Is', value: 'Senator' } },
    })
    for (const change of [lists.add, lists.take]) {
      const { status, body } = await change('person', list, [id])
      expect([status, body.errors[0].code, body.errors[0].source]).toEqual([422, 'invalid_body', { pointer: '/data' }])
    }
  })

  test('many at once add a record once, and count it once', async () => {
    const ids = await people(8)
    const { id: list } = await lists.create('person')
    await app.events()
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        index % 4 === 3 ? lists.take('person', list, ids.slice(0, 4)) : lists.add('person', list, ids),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    await lists.add('person', list, ids)
    expect(await lists.members('person', list)).toEqual({ ids, total: 8 })
    const balance = new Map<string, number>()
    for (const { type, record_id } of await app.events())
      balance.set(record_id, (balance.get(record_id) ?? 0) + (type === 'list.entry_added' ? 1 : -1))
    expect([...balance]).toEqual(expect.arrayContaining(ids.map((id) => [id, 1])))
  })
})

describe('a record that', () => {
  test('is deleted leaves its lists and comes back to them', async () => {
    const ids = await people(3)
    const { id: list } = await lists.create('person')
    await lists.add('person', list, ids)
    await records.remove('person', [ids[1]!])
    expect(await lists.members('person', list)).toEqual({ ids: [ids[0], ids[2]], total: 2 })
    await records.restore('person', [ids[1]!])
    expect(await lists.members('person', list)).toEqual({ ids, total: 3 })
  })

  test('is merged leaves its place to the record that it lives on in', async () => {
    const ids = await people(3)
    const [one, both] = [await lists.create('person'), await lists.create('person')]
    await lists.add('person', one.id, [ids[1]!])
    await lists.add('person', both.id, ids)
    await records.merge('person', ids[0]!, [ids[1]!])
    expect(await lists.members('person', one.id)).toEqual({ ids: [ids[0]], total: 1 })
    expect(await lists.members('person', both.id)).toEqual({ ids: [ids[0], ids[2]], total: 2 })
  })

  test('is purged leaves nothing', async () => {
    const ids = await people(2)
    const { id: list } = await lists.create('person')
    await lists.add('person', list, ids)
    await records.remove('person', [ids[0]!])
    await app.advance(31 * 86_400_000)
    while ((await app.purge()).more);
    expect(await app.remains(ids[0]!)).toEqual({})
    expect((await lists.members('person', list, { as: 'adminKey' })).ids).toEqual([ids[1]])
  })
})

describe('the records of a list', () => {
  test('are filtered, sorted, searched, included and paged as those of an object', async () => {
    const company = await records.create('company', { name: 'Acme Rockets' })
    const made = await records.createMany('person', [
      { name: { first_name: 'Ada', last_name: 'Zuse' }, job_title: 'Senator', company_id: company.id },
      { name: { first_name: 'Bob', last_name: 'Young' }, job_title: 'Senator' },
      { name: { first_name: 'Cyd', last_name: 'Xu' }, job_title: 'Clerk' },
      { name: { first_name: 'Dan', last_name: 'Wu' }, job_title: 'Senator' },
    ])
    const [ada, bob, cyd] = idsOf(made) as [string, string, string]
    const { id: list } = await lists.create('person')
    await lists.add('person', list, [ada, bob, cyd])
    const found = async (query: Record<string, string | number>) => (await lists.records('person', list, query)).body
    expect(idsOf((await found({ 'filter[job_title]': 'Senator' })).data)).toEqual([ada, bob])
    expect(idsOf((await found({ 'sortOrder[column]': 'name', 'sortOrder[dir]': 'DESC' })).data)).toEqual([
      cyd,
      bob,
      ada,
    ])
    expect(idsOf((await found({ search: 'you' })).data)).toEqual([bob])
    const included = await found({ include: 'company_id', 'fields[person]': 'job_title' })
    expect(idsOf(included.included)).toEqual([company.id])
    expect(included.data[2].attributes.name).toBeUndefined()
    const first = await found({ 'page[limit]': 2, 'filter[job_title][Is not]': 'Minister' })
    expect([idsOf(first.data), first.meta.total_records]).toEqual([[ada, bob], 3])
    const second = await app.api.get(first.links.next, { as: 'member' })
    expect([idsOf(second.body.data), second.body.links.next]).toEqual([[cyd], null])
    const back = await app.api.get(second.body.links.prev, { as: 'member' })
    expect(idsOf(back.body.data)).toEqual([ada, bob])
  })

  test('a cursor of one list fits no other', async () => {
    const ids = await people(3)
    const [one, other] = [await lists.create('person'), await lists.create('person')]
    for (const { id } of [one, other]) await lists.add('person', id, ids)
    const { links } = (await lists.records('person', one.id, { 'page[limit]': 1 })).body
    const { status, body } = await app.api.get(links.next.replace(one.id, other.id), { as: 'member' })
    expect([status, body.errors[0].code]).toEqual([400, 'cursor_mismatch'])
  })
})

describe('a long list', () => {
  const many = 2600

  test('is walked in any order, from both sides, in pages of any size', async () => {
    const made = await records.createMany(
      'deal',
      Array.from({ length: many + 400 }, (_, index) => ({
        name: `Deal ${String((index * 7919) % (many + 400)).padStart(4, '0')}`,
      })),
    )
    const entries = made.filter((_, index) => index % 7 !== 0).slice(0, many)
    const { id: list } = await lists.create('deal')
    await lists.add('deal', list, idsOf(entries))
    const byName = idsOf(entries.toSorted((a, b) => (a.attributes.name < b.attributes.name ? -1 : 1)))
    const orders: readonly (readonly [Record<string, string>, readonly string[]])[] = [
      [{}, idsOf(entries)],
      [{ 'sortOrder[column]': 'name', 'sortOrder[dir]': 'ASC' }, byName],
      [{ 'sortOrder[column]': 'name', 'sortOrder[dir]': 'DESC' }, byName.toReversed()],
      [
        {
          'sortOrder[0][column]': 'stage',
          'sortOrder[0][dir]': 'ASC',
          'sortOrder[1][column]': 'name',
          'sortOrder[1][dir]': 'ASC',
        },
        byName,
      ],
    ]
    for (const [order, ids] of someOf(orders, 1)) {
      for (const limit of [1100, 700]) {
        const pages: Json[] = [(await lists.records('deal', list, { 'page[limit]': limit, ...order })).body]
        while (pages.at(-1).links.next !== null)
          pages.push((await app.api.get(pages.at(-1).links.next, { as: 'member' })).body)
        expect(pages.flatMap(({ data }) => idsOf(data))).toEqual(ids)
        for (const { meta } of pages) expect(meta.total_records).toBe(ids.length)
        for (let index = pages.length - 1; index > 0; index--)
          expect(
            idsOf((await app.api.get(pages[index].links.prev, { as: 'member' })).body.data),
            `${JSON.stringify(order)} ${limit} ${index}`,
          ).toEqual(idsOf(pages[index - 1].data))
      }
    }
  })
})

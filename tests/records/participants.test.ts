import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { pointersOf, recordsOf } from '../harness/records.ts'

const app = await startApp({ fieldIndexThreshold: 0 })
const records = recordsOf(app)

const ada = {
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  phone_number: '+12025550143',
  status: 'accepted',
  organizer: true,
}
const meetings = await records.createMany('meeting', [
  { title: 'One', participants: { items: [ada, 'Grace@Example.org'] } },
  { title: 'Two', participants: { items: [{ email: 'max@bücher.example', name: 'Max Power', status: null }] } },
  { title: 'Three', participants: { items: ['ada@example.net'] } },
  { title: 'Four' },
])

const found = async (query: Record<string, string>): Promise<number[]> => {
  const { status, body } = await records.list('meeting', query)
  expect(status, JSON.stringify(body.errors)).toBe(200)
  return body.data.map(({ id }: Json) => meetings.findIndex((one) => one.id === id))
}

test('participants are kept whole, a bare address as what it is short for', async () => {
  expect(meetings.map(({ attributes }) => attributes.participants)).toEqual([
    { items: [ada, { email: 'grace@example.org' }] },
    { items: [{ email: 'max@xn--bcher-kva.example', name: 'Max Power' }] },
    { items: [{ email: 'ada@example.net' }] },
    { items: [] },
  ])
  const { body } = await records.get('meeting', meetings[0].id)
  expect(Object.keys(body.data.attributes.participants.items[0])).toEqual([
    'email',
    'name',
    'phone_number',
    'status',
    'organizer',
  ])
  const [twice] = await records.createMany('meeting', [
    { participants: { items: ['x@example.com', { email: 'X@example.com', name: 'X' }] } },
  ])
  expect(twice.attributes.participants).toEqual({ items: [{ email: 'x@example.com', name: 'X' }] })
  await records.remove('meeting', [twice.id])
})

async function expectFound(): Promise<void> {
  for (const [query, expected] of [
    ['participants]=ada@example.com', [0]],
    ['participants]=ADA@example.com', [0]],
    ['participants][Is]=Ada Lovelace', []],
    ['participants][Contains]=ada@', [0, 2]],
    ['participants][Contains]=lovelace', [0]],
    ['participants][Contains]=ow', [1]],
    ['participants][Contains]=accepted', []],
    ['participants][Contains]=@bücher.example', [1]],
    ['participants][Does not contain]=ada', [1, 3]],
    ['participants][Is not]=ada@example.com', [1, 2, 3]],
    ['participants][Is empty]=', [3]],
    ['participants]=*power*', [1]],
  ] as const) {
    const [field, value] = query.split(']=') as [string, string]
    expect(await found({ [`filter[${field}]`]: value }), query).toEqual(expected)
  }
  expect(await found({ search: 'lovelace' })).toEqual([0])
  expect(await found({ search: 'accepted' })).toEqual([])
  expect(await found({ 'sortOrder[column]': 'participants', 'sortOrder[dir]': 'ASC' })).toEqual([0, 2, 1, 3])
}

test('filters match the address, and a part of the name, with indexes as without', async () => {
  await expectFound()
  await app.startJobs()
  await app.indexes.ready()
  await expectFound()
})

test('items are added and taken away by their address', async () => {
  const [meeting] = await records.createMany('meeting', [{ participants: { items: [ada] } }])
  const write = async (items: Json[], collection: string) =>
    (
      await records.patch(
        'meeting',
        meeting.id,
        { participants: { items } },
        { meta: { participants: { collection } } },
      )
    ).body.data.attributes.participants.items
  expect(await write(['ada@example.com', { email: 'b@example.com', name: 'B' }], 'append')).toEqual([
    ada,
    { email: 'b@example.com', name: 'B' },
  ])
  expect(await write(['ADA@example.com'], 'remove')).toEqual([{ email: 'b@example.com', name: 'B' }])
})

test('what is no participant is refused where it stands', async () => {
  for (const [item, below] of [
    ['no address', ''],
    [5, ''],
    [{ name: 'No address' }, '/email'],
    [{ email: 'a@example.com', role: 'x' }, '/role'],
    [{ email: 'a@example.com', organizer: 'yes' }, '/organizer'],
    [{ email: 'a@example.com', name: 5 }, '/name'],
    [{ email: 'a@example.com', name: 'x'.repeat(501) }, '/name'],
  ] as const) {
    const answer = await records.post('meeting', { participants: { items: ['ok@example.com', item] } })
    expect([answer.status, pointersOf(answer)], JSON.stringify(item)).toEqual([
      422,
      [`/data/attributes/participants/items/1${below}`],
    ])
  }
})

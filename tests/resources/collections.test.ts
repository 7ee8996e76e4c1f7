import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp({ fieldIndexThreshold: 0 })
const records = recordsOf(app)

const people = await records.createMany('person', [
  {
    email_addresses: { items: ['grace@acme.com', 'g.hopper@navy.example'] },
    labels: { items: ['Key account', 'VIP'] },
    phone_numbers: { items: ['+1 202 555 0143'] },
  },
  { email_addresses: { items: ['ada@Acme.com'] }, labels: { items: ['account', `${'long '.repeat(40)}tail`] } },
  { email_addresses: { items: ['max@bücher.example'] }, labels: { items: ['a\u001fb', 'vip'] } },
  { labels: { items: ['100%', 'acc', 'ount'] } },
  {},
])

const found = async (query: Record<string, string>): Promise<number[]> => {
  const { status, body } = await records.list('person', query)
  expect(status, JSON.stringify(body.errors)).toBe(200)
  const ids = body.data.map(({ id }: Json) => id)
  expect(body.meta.total_records).toBe(ids.length)
  return ids.map((id: string) => people.findIndex((one) => one.id === id))
}

const questions: readonly (readonly [field: string, value: string, expected: readonly number[]])[] = [
  ['email_addresses][Contains', '@acme.com', [0, 1]],
  ['email_addresses][Contains', 'ACME', [0, 1]],
  ['email_addresses][Contains', 'grace@acme.com', [0]],
  ['email_addresses][Contains', '@bücher.example', [2]],
  ['email_addresses][Contains', 'm', [0, 1, 2]],
  ['email_addresses][Does not contain', '@acme.com', [2, 3, 4]],
  ['email_addresses', 'Ada@acme.com', [1]],
  ['email_addresses', '@acme.com', []],
  ['email_addresses][Is', 'G.Hopper@navy.example', [0]],
  ['email_addresses][Is not', 'ada@acme.com', [0, 2, 3, 4]],
  ['email_addresses', '*acme*', [0, 1]],
  ['phone_numbers][Contains', '5550143', [0]],
  ['labels', 'account', [1]],
  ['labels][eq', 'ACCOUNT', [1]],
  ['labels][contains', 'account', [0, 1]],
  ['labels', '*ACC*', [0, 1, 3]],
  ['labels', '!=vip', [1, 3, 4]],
  ['labels][Contains', 'tail', [1]],
  ['labels][Contains', 'ong t', [1]],
  // Two items of one record are no text of their own.
  ['labels][Contains', 'count', [0, 1]],
  ['labels][Contains', 'a\u001fb', [2]],
  ['labels][Contains', 'c\u001fou', []],
  ['labels][ncontains', 'acc', [2, 4]],
  ['labels][Contains', '0%', [3]],
]

test('Contains finds a part of any item, Is one item as a whole, with indexes as without', async () => {
  const ask = async (how: string) => {
    for (const [field, value, expected] of questions)
      expect(await found({ [`filter[${field}]`]: value }), `${field} ${value} ${how}`).toEqual(expected)
  }
  await ask('without indexes')
  await app.startJobs()
  await app.indexes.ready()
  expect(
    (await app.indexes.states()).filter(({ kind }) => kind === 'grams').map(({ field, state }) => [field, state]),
  ).toEqual([
    ['email_addresses', 'ready'],
    ['labels', 'ready'],
    ['phone_numbers', 'ready'],
  ])
  await ask('with indexes')
  const changed = await records.patch('person', people[4].id, { email_addresses: { items: ['new@acme.com'] } })
  expect(changed.status).toBe(200)
  expect(await found({ 'filter[email_addresses][Contains]': '@acme.com' })).toEqual([0, 1, 4])
  const { body } = await records.list(
    'person',
    { 'filter[email_addresses][Contains]': '@acme.com', explain: true },
    { as: 'admin' },
  )
  expect(body.meta.explain.plan[0]).toContain('the trigrams of email_addresses')
})

test('options are named by a part as well; a part of none is refused', async () => {
  const made = await app.api.post('/workspaces/acme/schemas/person/properties', {
    as: 'admin',
    body: {
      data: {
        type: 'schema-properties',
        attributes: { colours: { xSvcType: 'multi_select', type: 'object', enum: ['Red', 'Dark red', 'Blue'] } },
      },
    },
  })
  expect(made.status, JSON.stringify(made.body)).toBe(202)
  await app.idle()
  const [one, two, three] = await records.createMany('person', [
    { colours: { items: ['Red'] } },
    { colours: { items: ['Dark red', 'Blue'] } },
    { colours: { items: ['Blue'] } },
  ])
  const ids = async (query: Record<string, string>) =>
    (
      await records.list('person', { ...query, 'filter[_id][One of]': [one.id, two.id, three.id].join(',') })
    ).body.data.map(({ id }: Json) => id)
  expect(await ids({ 'filter[colours][Contains]': 'RED' })).toEqual([one.id, two.id])
  expect(await ids({ 'filter[colours]': 'Red' })).toEqual([one.id])
  expect(await ids({ 'filter[colours]': 'Red,Blue' })).toEqual([one.id, two.id, three.id])
  expect(await ids({ 'filter[colours][Does not contain]': 'red' })).toEqual([three.id])
  expect(await ids({ 'filter[colours][Is not]': 'Blue' })).toEqual([one.id])
  for (const op of ['Is', 'Contains', 'Does not contain']) {
    const { status, body } = await records.list('person', { [`filter[colours][${op}]`]: 'Green' })
    expect([status, body.errors[0].code, body.errors[0].meta.allowed]).toEqual([
      400,
      'unknown_value',
      ['Red', 'Dark red', 'Blue'],
    ])
  }
})

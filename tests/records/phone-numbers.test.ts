import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { pointersOf, recordsOf } from '../harness/records.ts'
import { listsOf } from '../lists/lists.ts'

const app = await startApp({ fieldIndexThreshold: 0 })
const records = recordsOf(app)

const stored = async (...items: string[]): Promise<Json> => {
  const { attributes } = await records.create('person', { phone_numbers: { items } })
  return attributes.phone_numbers.items
}

test('a number keeps its extension, whatever it was typed as, and two extensions are two numbers', async () => {
  expect(
    await stored(
      '+1 212 555 0100 ext. 5',
      '+1 (212) 555-0100 x5',
      'tel:+1-212-555-0100;ext=5',
      '+12125550100;ext=5',
      '+1 212 555 0100 extension 05',
      '+1 212 555 0100 ext. 6',
      '+1 212 555 0100',
    ),
  ).toEqual(['+12125550100;ext=5', '+12125550100;ext=05', '+12125550100;ext=6', '+12125550100'])
})

test('a text that is no number as a whole is kept as it was typed', async () => {
  const kept = [
    '+44 20 7946 0958 (not working)',
    '+44 20 7946 0958 (new since 2024)',
    '+44 20 7946 0958 or +44 20 7946 0959',
    '+44 20 7946 0958 / +44 20 7946 0959',
    '+1 212 555 0100 x302/x2303',
    'reception: +44 20 7946 0958',
    '+41 44 668 18 00 mornings',
    '+1 800 FLOWERS',
    '+55 0 15 11 98765 4321',
    '020 7946 0958',
    `+44 20 7946 ${' '.repeat(50)}0958`,
    'ask Joe',
  ]
  expect(await stored(...kept)).toEqual(kept)
  expect(
    await stored(' \u200bask Joe\u00a0', '\u202a+44\u00a020\u200b7946\u20110958\u202c', '＋33 1.23.45.67.89'),
  ).toEqual(['ask Joe', '+442079460958', '+33123456789'])
  expect(await stored('+44 (0)20 7946 0958', '+36 06 1 234 5678', '+39 06 698 12345')).toEqual([
    '+442079460958',
    '+3612345678',
    '+390669812345',
  ])
})

test('the numbers of participants are kept in the same way', async () => {
  const { id, attributes } = await records.create('meeting', {
    title: 'Call',
    participants: {
      items: [
        { email: 'a@example.com', phone_number: '+1 212 555 0100 ext. 5' },
        { email: 'b@example.com', phone_number: '+44 20 7946 0958 (not working)' },
      ],
    },
  })
  expect(attributes.participants.items.map((one: Json) => one.phone_number)).toEqual([
    '+12125550100;ext=5',
    '+44 20 7946 0958 (not working)',
  ])
  for (const query of ['(212) 555-0100', '020 7946 0958', 'not working']) {
    const found = await records.list('meeting', { search: query })
    expect(
      found.body.data.map((one: Json) => one.id),
      query,
    ).toEqual([id])
  }
})

const people = await records.createMany('person', [
  { name: { full_name: 'Paris' }, phone_numbers: { items: ['+33 1 84 45 67 89'] } },
  { name: { full_name: 'Leeds' }, phone_numbers: { items: ['+44 113 496 0111'] } },
  { name: { full_name: 'Wien' }, phone_numbers: { items: ['+43 1 9876 5432', '+43 660 1234567'] } },
  { name: { full_name: 'Boston' }, phone_numbers: { items: ['+1 617 555 0199 ext. 12'] } },
  { name: { full_name: 'Praha' }, phone_numbers: { items: ['(0222) 333-444', '+420 601 123 456 (mornings)'] } },
  { name: { full_name: 'Moskva' }, phone_numbers: { items: ['+7 495 987-65-43'] } },
  { name: { full_name: 'Milano' }, phone_numbers: { items: ['+39 02 8765 4321', '0044 20 7946 0123'] } },
])
const names = (ids: readonly string[]) =>
  ids
    .flatMap((id): string | string[] => people.find((one) => one.id === id)?.attributes.name.full_name ?? [])
    .toSorted()

const spellings: readonly (readonly [name: string, ...spellings: string[]])[] = [
  [
    'Paris',
    '+33184456789',
    '+33 1 84 45 67 89',
    '01 84 45 67 89',
    '01.84.45.67.89',
    '0184456789',
    '00 33 1 84 45 67 89',
    '0033184456789',
    '+33 (0)1 84 45 67 89',
    '33 1 84 45 67 89',
    '1 84 45 67 89',
  ],
  [
    'Leeds',
    '+44 113 496 0111',
    '0113 496 0111',
    '(0113) 496-0111',
    '0044 113 4960111',
    '+44 (0) 113 496 0111',
    '0113/4960111',
    '０１１３　４９６　０１１１',
  ],
  [
    'Wien',
    '+43 1 9876 5432',
    '01 9876 5432',
    '019876 5432',
    '01/98765432',
    '0043 1 9876 5432',
    '0660 1234567',
    '0660/123 45 67',
  ],
  [
    'Boston',
    '+1 617 555 0199 ext. 12',
    '(617) 555-0199 x12',
    '617-555-0199 ext 12',
    '1 617 555 0199 #12',
    '+16175550199;ext=12',
  ],
  ['Praha', '0222 333 444', '0222333444', '(0222)333444', '0601 123 456', '+420 601 123 456'],
  ['Moskva', '8 495 987-65-43', '+7 (495) 987-65-43', '84959876543'],
  ['Milano', '02 8765 4321', '+39 02 8765 4321', '+44 20 7946 0123', '0044 20 79460123', '020 7946 0123'],
]
/** Parts of numbers, and who has them. */
const parts: readonly (readonly [part: string, ...names: string[]])[] = [
  ['84 45 67', 'Paris'],
  ['01 84', 'Paris'],
  ['0033 1', 'Paris'],
  ['+33 (0)1 84', 'Paris'],
  ['496-01', 'Leeds'],
  ['0113 49', 'Leeds'],
  ['9876', 'Moskva', 'Wien'],
  ['+1 617', 'Boston'],
  ['555 0199', 'Boston'],
  ['mornings', 'Praha'],
  ['456 (MORN', 'Praha'],
  ['+9876'],
  ['0199 x1', 'Boston'],
]

const listed = async (query: Record<string, string>): Promise<string[]> => {
  const { status, body } = await records.list('person', { ...query, 'page[limit]': 100 })
  expect(status, JSON.stringify(body.errors)).toBe(200)
  return names(body.data.map(({ id }: Json) => id))
}

const found = async (query: string): Promise<string[]> => {
  const { body } = await app.api.post('/workspaces/acme/search', { body: { query, entities: ['person'], limit: 50 } })
  return names(body.data.map(({ id }: Json) => id))
}

/** Asks for every spelling and every part, by each way to ask. */
async function findAll(): Promise<void> {
  for (const [name, ...all] of spellings)
    for (const spelling of all)
      expect(
        await listed({
          'filter[phone_numbers][Is]': spelling,
          'filter[phone_numbers][Contains]': spelling,
          search: `${spelling} ${name}`,
        }),
        spelling,
      ).toEqual([name])
  for (const [part, ...all] of parts)
    expect(await listed({ 'filter[phone_numbers][Contains]': part }), `Contains ${part}`).toEqual(all)
  for (const [name, , spelling = ''] of spellings)
    expect(await found(`${name} ${spelling}`), `search ${spelling}`).toEqual([name])
  for (const part of ['+1 617 555 0199', '0113 49', '+43 1'])
    expect(await listed({ 'filter[phone_numbers][Is]': part }), `Is ${part}`).toEqual([])
  expect(await listed({ 'filter[phone_numbers][Is]': '+420 601 123 456 (Mornings)' })).toEqual(['Praha'])
  expect(await listed({ 'filter[phone_numbers][Is not]': '0113 496 0111' })).toHaveLength(people.length - 1)
  expect(await listed({ 'filter[phone_numbers][Does not contain]': '9876' })).toHaveLength(people.length - 2)
}

test('Is, Contains and search find a number by every usual spelling, with indexes as without', async () => {
  await findAll()
  await app.startJobs()
  await app.indexes.ready()
  await findAll()
  const { body } = await records.list(
    'person',
    { 'filter[phone_numbers][Is]': '01 84 45 67 89', explain: true },
    { as: 'admin' },
  )
  expect(body.meta.explain.plan[0]).toContain('the trigrams of phone_numbers')
})

test('lists compare numbers as filters do', async () => {
  const lists = listsOf(app)
  const sql = `SELECT * FROM person WHERE (phone_numbers->'items') ?| ARRAY['01 84 45 67 89', '(617) 555-0199 x12']`
  const { id } = await lists.create('person', { query: { sql } })
  expect(names((await lists.members('person', id)).ids)).toEqual(['Boston', 'Paris'])
})

test('groups of digits that are no number are found as words', async () => {
  const { id } = await records.create('deal', { name: 'Lot 12 of 2024, 77 pieces' })
  for (const search of ['2024 12', '12 77 2024', '77 lot']) {
    const { body } = await records.list('deal', { search })
    expect(
      body.data.map((one: Json) => one.id),
      search,
    ).toEqual([id])
  }
})

test('a creation names the country of its phone numbers; a country that is none is refused', async () => {
  const post = (default_country: string, more: object = {}, path = '') =>
    app.api.post(`/workspaces/acme/objects/person/records${path}`, {
      body: {
        data: { type: 'person', attributes: person('ch@phones.example', '044 668 18 00') },
        ...more,
        default_country,
      },
    })
  const upsert = { match_on: 'email_addresses' }
  const created = await post('CH', upsert)
  expect([created.status, created.body.data.attributes.phone_numbers.items]).toEqual([201, ['+41446681800']])
  expect((await post('CH', upsert)).body.data.attributes.phone_numbers.items).toEqual(['+41446681800'])
  const data = [{ type: 'person', attributes: person('at@phones.example', '044 668 18 00') }]
  const many = await post('CH', { data }, '/bulk')
  expect(many.body.data[0].attributes.phone_numbers.items).toEqual(['+41446681800'])
  const refused = await post('UK', upsert)
  expect([refused.status, pointersOf(refused)]).toEqual([422, ['/default_country']])
})

const person = (email: string, ...items: string[]) => ({
  email_addresses: { items: [email] },
  phone_numbers: { items },
})

test('with a default country, national numbers are international ones, wherever collections are united', async () => {
  const before = await records.create('person', { phone_numbers: { items: ['(202) 224-3841'] } })
  const setting = { key: 'default_country', value: 'US' }
  expect((await app.api.post('/workspaces/acme/settings', { body: setting })).status).toBe(201)
  expect(await stored('202-224-3841', '+1 202 224 3841', '020 7946 0958 call', '911')).toEqual([
    '+12022243841',
    '020 7946 0958 call',
    '911',
  ])

  const ada = await records.create('person', person('ada@phones.example', '+12022243841'))
  const upserted = await app.api.post('/workspaces/acme/objects/person/records', {
    body: {
      data: { type: 'person', attributes: person('ada@phones.example', '202-224-3841') },
      match_on: 'email_addresses',
    },
  })
  expect(upserted.body.data.attributes.phone_numbers.items).toEqual(['+12022243841'])

  // A number that was stored before the workspace had a country is the same number.
  const path = `/workspaces/acme/objects/person/records/${before.id}`
  const appended = await app.api.patch(path, {
    body: {
      data: { type: 'person', id: before.id, attributes: { phone_numbers: { items: ['+12022243841'] } } },
      meta: { phone_numbers: { collection: 'append' } },
    },
  })
  expect(appended.body.data?.attributes.phone_numbers.items).toEqual(['(202) 224-3841'])
  expect((await records.merge('person', before.id, [ada.id])).status).toBe(204)
  expect((await app.api.get(path)).body.data.attributes.phone_numbers.items).toEqual(['(202) 224-3841'])
})

import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { logOf } from '../harness/events.ts'
import type { Json } from '../harness/http.ts'
import { lettersOf } from '../harness/letters.ts'
import { pointersOf } from '../harness/records.ts'

const app = await startApp()
const { api } = app
const { person, write } = lettersOf(app)
const log = logOf(app)
const path = '/workspaces/acme/suppressions'

test('no letter goes to a suppressed address, in whatever case, until it may be written to again', async () => {
  const { body } = await api.post(path, { as: 'member', body: { address: ' Ada@Example.com ', note: 'By telephone' } })
  expect(body.data.attributes).toMatchObject({
    address: 'ada@example.com',
    reason: 'manual',
    note: 'By telephone',
    email_id: null,
    _created_by: app.userIds.member,
  })
  const ada = await person('ada@example.com')
  expect(await write(ada, { subject: 'A', text: 'B' })).toMatchObject({
    state: 'suppressed',
    to: [],
    suppressed: ['ada@example.com'],
    sent_at: null,
  })
  expect((await api.post(path, { body: { address: 'ada@example.com' } })).status).toBe(200)
  expect((await api.delete(`${path}/${body.data.id}`, { as: 'member' })).status).toBe(403)
  expect((await api.delete(`${path}/${body.data.id}`)).status).toBe(200)
  expect((await api.delete(`${path}/${body.data.id}`)).status).toBe(404)
  expect(await write(ada, { subject: 'A', text: 'B' })).toMatchObject({ state: 'kept' })
})

test.each([['no address'], ['a@b'], ['@example.com']])('refuses %j', async (address) => {
  expect(pointersOf(await api.post(path, { body: { address } }))).toEqual(['/address'])
  const wrapped = { data: { type: 'suppression', attributes: { address } } }
  expect(pointersOf(await api.post(path, { body: wrapped }))).toEqual(['/data/attributes/address'])
})

test('who may not see a person is not told that their address is suppressed, nor by whom', async () => {
  const colleague = await app.addMember('member', 'outsider')
  const addresses = async (as: typeof colleague.as | 'admin', query = {}) =>
    (await api.get(path, { as, query })).body.data.map(({ attributes }: Json) => attributes.address).toSorted()
  await person('seen@example.com')
  const before = await log.end()
  for (const address of ['seen@example.com', 'nobodys@example.com']) await api.post(path, { body: { address } })
  const heard = async (as: typeof colleague.as | 'admin') =>
    (await log.since(before, as)).filter(({ type }: Json) => type.startsWith('suppression.')).length
  expect([await heard('admin'), await heard(colleague.as)]).toEqual([2, 1])
  await api.post(path, { as: colleague.as, body: { address: 'mine@example.com' } })
  const all = await addresses('admin')
  expect(all).toEqual(expect.arrayContaining(['mine@example.com', 'nobodys@example.com', 'seen@example.com']))
  expect(await addresses(colleague.as)).toEqual(expect.arrayContaining(['mine@example.com', 'seen@example.com']))
  expect(await addresses(colleague.as)).not.toContain('nobodys@example.com')
  expect(await addresses(colleague.as, { 'filter[address]': 'nobodys@example.com' })).toEqual([])
})

test('suppresses an address beside a suppression that the caller may not see, and reveals nothing of it', async () => {
  const { as } = await app.addMember('member', 'curious')
  const address = 'hidden@example.com'
  const first = await api.post(path, { body: { address, note: 'A lawsuit' } })
  const own = await api.post(path, { as, body: { address, note: 'Mine' } })
  const fresh = await api.post(path, { as, body: { address: 'fresh@example.com', note: 'Mine' } })
  const shape = ({ status, body: { data } }: typeof fresh) => [
    status,
    { ...data.attributes, _id: '', address: '', _created_at: '' },
  ]
  expect(shape(own)).toEqual(shape(fresh))
  expect(await api.post(path, { as, body: { address } })).toMatchObject({ status: 200, body: { data: own.body.data } })
  const filter = { 'filter[address]': address }
  expect((await api.get(path, { as, query: filter })).body.data).toEqual([own.body.data])
  expect((await api.get(path, { query: filter })).body.data).toEqual([own.body.data, first.body.data])
  expect((await api.post(path, { body: { address } })).body.data).toEqual(first.body.data)
  const hidden = await person(address)
  for (const { id } of [first.body.data, own.body.data]) {
    expect(await write(hidden, { subject: 'A', text: 'B' })).toMatchObject({ state: 'suppressed' })
    expect((await api.delete(`${path}/${id}`)).status).toBe(200)
  }
  expect(await write(hidden, { subject: 'A', text: 'B' })).toMatchObject({ state: 'kept' })
})

test('two admins who suppress an address at the same time get the same suppression', async () => {
  const { as } = await app.addMember('admin', 'second')
  const addresses = Array.from({ length: 20 }, (_, index) => `raced-${index}@example.com`)
  const pairs = await Promise.all(
    addresses.map((address) =>
      Promise.all([api.post(path, { body: { address } }), api.post(path, { as, body: { address } })]),
    ),
  )
  expect(pairs.map(([one, other]) => one.status + other.status)).toEqual(addresses.map(() => 200 + 201))
  expect(pairs.filter(([one, other]) => one.body.data.id !== other.body.data.id)).toEqual([])
})

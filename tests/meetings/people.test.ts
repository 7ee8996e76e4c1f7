import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp()
await app.startJobs()
const records = recordsOf(app, 'member')
const peopleOf = async (id: string): Promise<Json[]> =>
  (await app.api.get(`/workspaces/acme/objects/meeting/records/${id}/relationships/people`, { as: 'member' })).body.data
const emailsOf = async (id: string) =>
  (await peopleOf(id)).flatMap(({ attributes }): string[] => attributes.email_addresses.items).toSorted()

test('participants become persons, found by their address or created, and members and rooms do not', async () => {
  const grace = await records.create('person', { email_addresses: { items: ['grace@example.com'] } })
  const participants = {
    items: [
      { email: 'Grace@Example.com', name: 'Somebody Else' },
      { email: 'ada@example.com', name: 'Ada Byron Lovelace', organizer: true },
      'nameless@example.com',
      'member@example.com',
      { email: 'aula@example.com', name: 'Aula', type: 'room' },
    ],
  }
  const meeting = await records.create('meeting', { title: 'Kick-off', participants })
  await app.quiet()
  expect(await emailsOf(meeting.id)).toEqual(['ada@example.com', 'grace@example.com', 'nameless@example.com'])
  const people = await peopleOf(meeting.id)
  expect(people.map(({ id }) => id)).toContain(grace.id)
  const ada = people.find(({ attributes }) => attributes.email_addresses.items[0] === 'ada@example.com')
  expect(ada.attributes).toMatchObject({
    name: { first_name: 'Ada Byron', last_name: 'Lovelace' },
    _created_by: app.userIds.member,
  })
})

test('no person comes twice, however many meetings name them at once', async () => {
  const items = ['one@example.com', 'two@example.com', 'ONE@example.com']
  const made = await records.createMany(
    'meeting',
    Array.from({ length: 6 }, (_, index) => ({ title: `Meeting ${index}`, participants: { items } })),
  )
  await Promise.all(
    made.map(({ id }) =>
      app.api.patch(`/workspaces/acme/objects/meeting/records/${id}`, {
        as: 'member',
        body: {
          data: { type: 'meeting', id, attributes: { participants: { items: [...items, 'three@example.com'] } } },
        },
      }),
    ),
  )
  await app.quiet()
  for (const { id } of made)
    expect(await emailsOf(id)).toEqual(['one@example.com', 'three@example.com', 'two@example.com'])
  for (const email of ['one@example.com', 'two@example.com', 'three@example.com']) {
    const found = await app.api.get('/workspaces/acme/objects/person/resources', {
      query: { 'filter[email_addresses][Is]': email },
    })
    expect(found.body.data).toHaveLength(1)
  }
})

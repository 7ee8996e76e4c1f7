import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp()
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
  for (const { id } of made)
    expect(await emailsOf(id)).toEqual(['one@example.com', 'three@example.com', 'two@example.com'])
  for (const email of ['one@example.com', 'two@example.com', 'three@example.com']) {
    const found = await app.api.get('/workspaces/acme/objects/person/resources', {
      query: { 'filter[email_addresses][Is]': email },
    })
    expect(found.body.data).toHaveLength(1)
  }
})

test('a client that looks people up, creates and links them meets nobody else', async () => {
  const emails = ['first@clients.example', 'second@clients.example', 'third@clients.example']
  const sync = async (title: string): Promise<string> => {
    const { id } = await records.create('meeting', { title, participants: { items: emails } })
    const people: Json[] = []
    for (const email of emails) {
      const found = await app.api.get('/workspaces/acme/objects/person/resources', {
        as: 'member',
        query: { 'filter[email_addresses][Is]': email },
      })
      people.push(found.body.data[0] ?? (await records.create('person', { email_addresses: { items: [email] } })))
    }
    const data = people.map((person) => ({ type: 'person', id: person['id'] }))
    const path = `/workspaces/acme/objects/meeting/records/${id}/relationships/people`
    expect((await app.api.patch(path, { as: 'member', body: { data } })).status).toBe(200)
    return id
  }
  for (const id of await Promise.all(['One', 'Two', 'Three', 'Four'].map(sync)))
    expect(await emailsOf(id)).toEqual(emails)
})

test('a dry run links and creates nobody', async () => {
  const body = { data: { type: 'meeting', attributes: { title: 'Dry', participants: { items: ['dry@example.com'] } } } }
  const answer = await app.api.post('/workspaces/acme/objects/meeting/records', {
    as: 'member',
    body,
    query: { dry_run: true },
  })
  expect(answer.status).toBe(201)
  const found = await app.api.get('/workspaces/acme/objects/person/resources', {
    query: { 'filter[email_addresses]': 'dry@example.com' },
  })
  expect(found.body.data).toEqual([])
})

test('a credential that may not write persons names participants all the same, and links nobody', async () => {
  await records.create('person', { email_addresses: { items: ['known@scopes.example'] } })
  const meetingsOnly = ['records:read', 'records:write:meeting']
  for (const [scopes, linked] of [
    [meetingsOnly, []],
    [
      [...meetingsOnly, 'records:write:person'],
      ['known@scopes.example', 'unknown@scopes.example'],
    ],
  ] as const) {
    const key = await app.api.post('/workspaces/acme/api-keys', {
      as: 'member',
      body: { data: { type: 'api-key', attributes: { name: 'Calendar', scopes, actor_type: 'user' } } },
    })
    const items = ['known@scopes.example', 'unknown@scopes.example']
    const { status, body } = await app.http.send({
      method: 'POST',
      url: `${app.baseUrl}/workspaces/acme/objects/meeting/records`,
      headers: {
        Authorization: `api-key ${key.body.data.attributes.cleartext_api_key}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ data: { type: 'meeting', attributes: { title: 'Sync', participants: { items } } } }),
    })
    expect([status, await emailsOf(body.data.id)]).toEqual([201, linked])
  }
})

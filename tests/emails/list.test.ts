import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { lettersOf } from '../harness/letters.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf } from '../harness/schemas.ts'
import { chain } from '../harness/workflows.ts'

const app = await startApp()
const { api } = app
const { records, person, sequence, begin, write, workflows, letter } = lettersOf(app)
const path = '/workspaces/acme/emails'
const ids = async (query: string, as: 'admin' | 'member' | 'viewer' = 'admin'): Promise<string[]> =>
  (await api.get(`${path}?${query}`, { as })).body.data.map(({ id }: Json) => id)

test('without a mail server letters are kept, and shown with what they say', async () => {
  const ada = await person('ada@example.com')
  const kept = await write(ada, { subject: 'Kept', text: 'Hello' })
  expect(kept).toMatchObject({
    state: 'kept',
    text: 'Hello',
    html: null,
    to: ['ada@example.com'],
    sent_at: expect.any(String),
  })
  const { body } = await api.get(`${path}?filter[person]=${ada.id}`)
  expect(body.data).toHaveLength(1)
  expect(body.data[0].attributes).not.toHaveProperty('text')
})

test('lists the letters of a person, a workflow or a run, the newest first', async () => {
  const [bob, cyd] = [await person('bob@example.com'), await person('cyd@example.com')]
  const workflow = await sequence({ subject: 'Hello', text: 'Hello' })
  const runs: string[] = []
  const made: string[] = []
  for (const one of [bob, cyd, bob]) {
    const run = await begin(workflow, one)
    runs.push(run)
    made.push((await workflows.runIn(run)).attributes.steps[0].output.email_id)
  }
  const [first, second, third] = made
  expect(new Set(await ids(`filter[workflow]=${workflow.id}`))).toEqual(new Set(made))
  expect(new Set(await ids(`filter[person]=${bob.id}`))).toEqual(new Set([first, third]))
  expect(await ids(`filter[run]=${runs[1]}`)).toEqual([second])
  expect(await ids(`filter[workflow]=${workflow.id}&filter[state]=sent`)).toEqual([])
  expect(await ids('filter[person]=nobody')).toEqual([])
  const bySubject = `filter[person]=${bob.id}&sortOrder[column]=subject&sortOrder[dir]=ASC&page[limit]=1`
  expect(await ids(bySubject)).toHaveLength(1)
})

test('letters go with their person: to the one that it is merged into, and out of sight with it', async () => {
  const [fay, twin] = [await person('fay@example.com'), await person('twin@example.com')]
  const written = await write(twin, { subject: 'Hello', text: 'Hello' })
  expect((await records.merge('person', fay.id, [twin.id])).status).toBe(204)
  expect(await ids(`filter[person]=${fay.id}`)).toEqual([written._id])
  await records.remove('person', [fay.id])
  expect(await ids(`filter[person]=${fay.id}`)).toEqual([])
  expect(await letter(written._id)).toBeUndefined()
})

test('a letter is seen by callers who see its person', async () => {
  const dan = await recordsOf(app, 'admin').create('person', { email_addresses: { items: ['dan@example.com'] } })
  const written = await write(dan, { subject: 'Private', text: 'Hello' })
  const one = `${path}/${written._id}`
  expect(await ids(`filter[person]=${dan.id}`, 'member')).toEqual([written._id])
  await changesOf(app).edit('person', (_properties, document) => (document.xSvcAccess = { default: 'none' }))
  expect(await ids(`filter[person]=${dan.id}`, 'member')).toEqual([])
  expect((await api.get(one, { as: 'member' })).status).toBe(404)
  await share(api.post, `person/records/${dan.id}`, app.userIds.member, 'view')
  expect(await ids(`filter[person]=${dan.id}`, 'member')).toEqual([written._id])
  expect((await api.get(one, { as: 'member' })).status).toBe(200)
  expect((await api.get(one, { as: 'viewer' })).status).toBe(404)
})

/** A letter to an address of no person. */
const letterOf = async (owner: 'admin' | 'member'): Promise<string> => {
  const { id } = await workflows.create(
    {
      name: 'Tells the office',
      enabled: true,
      ...chain(
        { plugin_id: 'on:manual:execution' },
        { key: 'tell', plugin_id: 'svc:send:email', input: { to: 'office@acme.example', subject: 'A', text: 'B' } },
      ),
    },
    owner,
  )
  const { body } = await api.post(`${workflows.path}/${id}/runs`, { as: owner, body: {} })
  return (await workflows.runIn(body.data.id)).attributes.steps[0].output.email_id
}

test('a letter to no record is seen by the owner of its workflow and by admins, as its run is', async () => {
  const [ofAdmin, ofMember] = [await letterOf('admin'), await letterOf('member')]
  const seen = async (as: 'admin' | 'member' | 'viewer') => {
    const listed = await ids('filter[state]=kept&page[limit]=1000', as)
    return Promise.all(
      [ofAdmin, ofMember].map(async (id) => [listed.includes(id), (await api.get(`${path}/${id}`, { as })).status]),
    )
  }
  const [yes, no] = [
    [true, 200],
    [false, 404],
  ]
  expect(await seen('admin')).toEqual([yes, yes])
  expect(await seen('member')).toEqual([no, yes])
  expect(await seen('viewer')).toEqual([no, no])
})

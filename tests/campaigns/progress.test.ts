import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { mailServer } from '../harness/mail.ts'
import { recordsOf } from '../harness/records.ts'
import { workflowsOf } from '../harness/workflows.ts'

const smtp = await mailServer()
const app = await startApp({ mail: { smtpUrl: smtp.url, from: 'Acme <hello@acme.example>' } })
const { api } = app
const { until } = workflowsOf(app)
const path = '/workspaces/acme/campaigns'

const send = { plugin_id: 'svc:send:email', input: { subject: 'Hello', text: 'Hello.' } }
const names = ['reached', 'full', 'too', 'removed', 'unwanted'] as const
const addressOf = (name: string) => `${name}@example.com`

const campaignOf = async (attributes: Json) => {
  const { body } = await api.post(path, { body: { name: 'Spring', blocks: { send }, ...attributes } })
  const one = `${path}/${body.data.id}`
  /** The progress; its parts add up at every moment. */
  const progress = async (): Promise<Json> => {
    const { enrolled, ...parts } = (await api.get(`${one}/progress`, { as: 'viewer' })).body.data.attributes
    expect(parts.pending + parts.sent + parts.failed + parts.suppressed).toBe(enrolled)
    return { enrolled, ...parts }
  }
  return { one, progress }
}

test('each person of a campaign is counted once, whatever has become of them', async () => {
  for (const name of names) smtp.full.add(addressOf(name))
  const people = await recordsOf(app).createMany('person', [
    ...names.map((name) => ({ email_addresses: { items: [addressOf(name)] } })),
    { name: { first_name: 'Nowhere' } },
  ])
  const list = await api.post('/workspaces/acme/objects/person/lists', { body: { title: 'Readers', type: 'static' } })
  const members = people.map(({ id }) => ({ type: 'person', id }))
  await api.post(`/workspaces/acme/objects/person/lists/${list.body.data.id}/resources`, { body: { data: members } })
  const { one, progress } = await campaignOf({ list_id: list.body.data.id })
  expect(await progress()).toEqual({ enrolled: 0, pending: 0, sent: 0, failed: 0, suppressed: 0 })

  await api.post(`${one}/start`, {})
  await until(async () => (await progress()).enrolled === people.length)
  await until(async () => (await api.get('/workspaces/acme/emails?filter[state]=deferred')).body.data.length === 5)
  // Nothing is on its way while the people change.
  await api.post(`${one}/pause`, {})
  await app.quiet()
  const [, , , removed] = people
  await api.delete(`${one}/recipients`, { body: { items: [removed?.id] } })
  await api.post('/workspaces/acme/suppressions', { body: { address: addressOf('unwanted') } })
  expect(await progress()).toEqual({ enrolled: 6, pending: 4, sent: 0, failed: 1, suppressed: 1 })

  for (const name of names) if (name !== 'full') smtp.full.delete(addressOf(name))
  await api.post(`${one}/resume`, {})
  await app.advance(60_000)
  await until(async () => (await progress()).pending === 1)
  expect(await progress()).toEqual({ enrolled: 6, pending: 1, sent: 2, failed: 1, suppressed: 2 })
  const rows = (await api.get(`${one}/recipients`)).body.data
  // A person who was suppressed before their letter has got none, and may be enrolled when they may be written to
  // again.
  const unwanted = rows.find(({ attributes }: Json) => attributes.person._id === people[4]?.id)
  expect(unwanted.attributes).toMatchObject({ status: 'skipped', exit_reason: 'suppressed', last_sent_at: null })
  expect(rows.map(({ attributes }: Json) => typeof attributes.last_sent_at).toSorted()).toEqual([
    ...Array.from({ length: 4 }, () => 'object'),
    ...Array.from({ length: 2 }, () => 'string'),
  ])
})

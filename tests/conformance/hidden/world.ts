import { agentsOf, program } from '../../harness/agents.ts'
import type { TestApp } from '../../harness/app.ts'
import { attachmentsOf } from '../../harness/attachments.ts'
import { commentsOf } from '../../harness/comments.ts'
import type { Json } from '../../harness/http.ts'
import { receiver } from '../../harness/receiver.ts'
import { recordsOf, recordsPath } from '../../harness/records.ts'
import { changesOf, schemasOf } from '../../harness/schemas.ts'
import { webhooksOf } from '../../harness/webhooks.ts'
import { chain, workflowsOf } from '../../harness/workflows.ts'

/** The word that every hidden value contains. */
export const marker = 'Zarquon'

/** Objects whose records only admins see, unless they are shared. */
const closed = ['person', 'company', 'deal', 'task', 'meeting']

const address = `${marker.toLowerCase()}@example.com`
const attributesOf = (more: Json = {}): Json => ({
  name: { first_name: marker, last_name: marker },
  job_title: marker,
  ...more,
})

/** Ids of what is hidden, by the segment of a path before its parameter. */
export type HiddenIds = Readonly<Record<string, string>>

/**
 * Fills an app with what only admins may see: each value of a record, a comment, a file, a transcript, a run, an e-mail
 * or a delivery contains the marker. One record of an open object leads to it.
 */
export async function hide(app: TestApp): Promise<HiddenIds> {
  const { api } = app
  const own = recordsOf(app, 'admin')
  const there = await receiver()
  const hook = await webhooksOf(app).create({ url: there.url, events: ['record.*', 'comment.*'] })
  const open = await schemasOf(app).make({
    name: { type: 'string', xSvcPrimary: true },
    people: { xSvcRelationship: { kind: 'many-to-many', entity: 'person', field: 'things' } },
  })
  const person = await own.create('person', attributesOf({ email_addresses: { items: [address] } }))
  const twin = await own.create('person', attributesOf())
  const gone = await own.create('person', attributesOf())
  const company = await own.create('company', { name: marker, domains: { items: [`${marker.toLowerCase()}.example`] } })
  const deal = await own.create('deal', { name: marker })
  const link = (object: string, id: string, relationship: string, type: string, to: string) =>
    api.post(`${recordsPath(object)}/${id}/relationships/${relationship}`, { body: { data: [{ type, id: to }] } })
  await link('person', person.id, 'deals', 'deal', deal.id)
  const comment = await commentsOf(app).create('person', person.id, marker, { as: 'admin' })
  const thing = await own.create(open, { name: 'Open' })
  await link(open, thing.id, 'people', 'person', person.id)
  await own.merge('person', person.id, [twin.id])
  await own.remove('person', [gone.id])
  const file = await attachmentsOf(app, 'admin').attach('person', person.id, `${marker}.pdf`, `%PDF-1.7 ${marker}`)
  const ids = { ...(await followUp(app, person.id)), ...(await met(app, person.id)) }
  await there.until(1)
  await app.quiet()
  const [delivery] = await webhooksOf(app).deliveries(hook._id)
  for (const object of closed)
    await changesOf(app).edit(object, (_properties, document) => (document.xSvcAccess = { default: 'none' }))
  return {
    records: person.id,
    resources: person.id,
    record: person.id,
    comments: comment._id,
    attachments: file,
    companies: company.id,
    webhooks: hook._id,
    deliveries: delivery!['_id'],
    campaigns: await campaignOf(app, person.id),
    ...ids,
  }
}

/** Runs of a workflow and of an agent, and an e-mail. */
async function followUp(app: TestApp, record_id: string): Promise<Json> {
  const { create, path, runIn } = workflowsOf(app)
  // All members may read the definition of a workflow.
  const title = '{{trigger.state.event.object.data.job_title}}'
  const byHand = { plugin_id: 'on:manual:execution', input: { object: 'person' } }
  const find = { key: 'find', plugin_id: 'svc:find:records', input: { object: 'person' } }
  const send = { key: 'send', plugin_id: 'svc:send:email', input: { subject: title, text: title } }
  const begin = async (block: Json, type: string): Promise<Json> => {
    const workflow = await create({ name: 'Follow up', type, enabled: true, ...chain(byHand, block) })
    const { body } = await app.api.post(`${path}/${workflow.id}/runs`, { body: { object: 'person', record_id } })
    return runIn(body.data.id)
  }
  const run = await begin(find, 'workflow')
  const written = await begin(send, 'sequence')
  const agents = agentsOf(app)
  const scopes = ['records:read', 'records:write']
  const agent = await agents.create({ code: program('return input'), scopes }, 'admin')
  const done = await agents.carryOut(agent.id, { object: 'person', record_id }, 'admin')
  return {
    'workflow-runs': run.id,
    agents: agent.id,
    runs: done.id,
    emails: written.attributes.steps[0].output.email_id,
  }
}

/** A campaign that has the person, whose address is suppressed besides. */
async function campaignOf({ api }: TestApp, person: string): Promise<string> {
  const wait = { plugin_id: 'general:delay:for', input: { amount: 1, unit: 'days' } }
  const { body } = await api.post('/workspaces/acme/campaigns', { body: { name: 'Write', blocks: { wait } } })
  await api.post(`/workspaces/acme/campaigns/${body.data.id}/start`, {})
  await api.post(`/workspaces/acme/campaigns/${body.data.id}/recipients`, { body: { items: [person] } })
  await api.post('/workspaces/acme/suppressions', { body: { address, note: marker } })
  return body.data.id
}

/** A private meeting with a transcript, and a private list. */
async function met(app: TestApp, person: string): Promise<Json> {
  const own = recordsOf(app, 'admin')
  const meeting = await own.create('meeting', { title: marker, visibility: 'private' })
  const transcript = [{ speaker: marker, words: [{ text: marker }] }]
  const { body } = await app.api.post(`/workspaces/acme/meetings/${meeting.id}/transcript`, { body: { transcript } })
  const list = await app.api.post('/workspaces/acme/objects/person/lists', {
    body: { title: marker, type: 'static', permission: 'private' },
  })
  const entries = `/workspaces/acme/objects/person/lists/${list.body.data.id}/resources`
  await app.api.post(entries, { body: { data: [{ type: 'person', id: person }] } })
  return { meetings: meeting.id, recordings: body.data.id, lists: list.body.data.id }
}

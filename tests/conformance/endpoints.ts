import {
  contract,
  exampleIds,
  inWorkspace,
  isMutation,
  isOpen,
  isStream,
  pathParameters,
  queryFields,
  type Endpoint,
} from '@kontor/contract'
import type { TestApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey } from '../harness/people.ts'
import {
  type Input,
  makeAgent,
  makeAgentRun,
  makeApp,
  makeCampaign,
  makeAttachment,
  makeDelivery,
  makeEmail,
  makeExport,
  makeImport,
  makeInboundWorkflow,
  makeList,
  checkedInput,
  makeMedia,
  makeMeeting,
  makeNotifications,
  makeRecording,
  makeRun,
  makeSuppression,
  makeVersion,
  makeWebhook,
  makeWorkflow,
  uploadFile,
  uploadImport,
} from './makers.ts'

export type { Input } from './makers.ts'

/** An endpoint by its name, `<domain>.<key>`. */
export type NamedEndpoint = { readonly name: string; readonly endpoint: Endpoint }

/** All that the contract has, but for streams, which have no end: no endpoint is listed by hand. */
export const endpoints: readonly NamedEndpoint[] = Object.entries(contract).flatMap(([domain, byKey]) =>
  Object.entries(byKey)
    .map(([key, endpoint]) => ({ name: `${domain}.${key}`, endpoint: endpoint as Endpoint }))
    .filter(({ endpoint }) => !isStream(endpoint)),
)

export const select = (wanted: (endpoint: Endpoint) => boolean): [string, Endpoint][] =>
  endpoints.filter(({ endpoint }) => wanted(endpoint)).map(({ name, endpoint }) => [name, endpoint])

export const all = select(() => true)
/** Those that ask who calls. */
export const closed = select((endpoint) => !isOpen(endpoint))
/** The public ones. */
export const open = select(({ caller }) => caller === 'public')
export const mutations = select((endpoint) => isMutation(endpoint) && !isOpen(endpoint))
export const workspaced = select(inWorkspace)
export const withBody = select(({ body }) => body !== undefined)
/** Those that any JSON does for have no wrong body. */
export const withShapedBody = withBody.filter(([, { body }]) => body?.safeParse({ bogus: 1 }).success === false)
/** Returns whether an endpoint is about the records of an object that its path names. */
export const namesObject = ({ scope, path }: Endpoint): boolean =>
  scope?.startsWith('records:') === true && path.includes('{object}')

/** The least scope that opens it for a call: of records the one for the object that it names. */
export const leastScopeOf = (endpoint: Endpoint, { object }: { readonly object?: unknown }): string | null =>
  namesObject(endpoint) ? `${endpoint.scope}:${String(object)}` : endpoint.scope

export const hasParameter = (endpoint: Endpoint, name: string): boolean =>
  endpoint.query !== undefined && name in endpoint.query.shape

/** Returns whether an endpoint filters by fields of an object, with operators; other filters are plain parameters. */
export const filtersByField = ({ query }: Endpoint): boolean =>
  query !== undefined && queryFields(query).some(({ name, kind }) => name === 'filter' && kind === 'free')

let serial = 0

/** Another address each time, so that no call is refused because the one before it succeeded. */
const freshAddress = (): string => `example-${++serial}@example.com`

/** Another name each time, since objects are unique by theirs. */
const freshName = (name: string): string => `${name} ${++serial}`

/** Makes what a path parameter names; a test may change or delete it. */
type Maker = (app: TestApp, input: Input, path: string) => Promise<string> | string

/** By the segment before the parameter. */
const makers: Readonly<Record<string, Maker>> = {
  workspaces: () => 'acme',
  objects: () => 'person',
  users: async (app) => (await app.addMember('member', `example-${++serial}`)).id,
  invitations: makeInvitation,
  'api-keys': async (app) => (await createKey(app.api.post, 'admin')).id,
  apps: makeApp,
  records: makePerson,
  resources: makePerson,
  comments: makeComment,
  lists: makeList,
  relationships: () => 'deals',
  requests: makeRequest,
  'async-tasks': makeTask,
  access: makeGrant,
  attachments: makeAttachment,
  meetings: makeMeeting,
  recordings: makeRecording,
  media: makeMedia,
  webhooks: makeWebhook,
  deliveries: makeDelivery,
  workflows: makeWorkflow,
  'workflow-runs': makeRun,
  steps: () => '0',
  campaigns: makeCampaign,
  agents: makeAgent,
  runs: makeAgentRun,
  versions: makeVersion,
  settings: () => 'time_zone',
  layouts: () => 'list__person',
  emails: makeEmail,
  suppressions: makeSuppression,
  imports: makeImport,
  exports: makeExport,
}

/** The same where schemas are changed, or what holds for all records of an object. */
const schemaMakers: Readonly<Record<string, Maker>> = {
  schemas: makeObject,
  objects: makeObject,
  relationships: () => 'members',
}

/**
 * An object of its own, with a relationship where the path asks for one: to itself, so that two of them can change at
 * once.
 */
async function makeObject({ api }: TestApp, _input: Input, path: string): Promise<string> {
  const name = freshName('Committee')
  const members = {
    xSvcRelationship: { kind: 'many-to-many', entity: `c_${name.toLowerCase().replace(' ', '_')}`, field: 'member_of' },
  }
  const properties = {
    name: { type: 'string', xSvcPrimary: true },
    founded: { xSvcType: 'date' },
    website: { xSvcType: 'url' },
    jurisdiction: { xSvcType: 'long_text' },
    ...(path.includes('/relationships/') && { members }),
  }
  const { status, body } = await api.post('/workspaces/acme/schemas/objects', {
    body: { name, plural: 'Committees', properties },
  })
  if (status !== 201) throw new Error(`no object: ${JSON.stringify(body)}`)
  return body.data.attributes.title
}

/** One that has ended. */
async function makeTask(app: TestApp): Promise<string> {
  const { status, body } = await app.api.delete(`/workspaces/acme/schemas/objects/${await makeObject(app, {}, '')}`)
  if (status !== 200) throw new Error(`no task: ${JSON.stringify(body)}`)
  await app.idle()
  return body.data.id
}

async function makePerson({ api }: TestApp): Promise<string> {
  const attributes = {
    name: { first_name: 'Grace', last_name: 'Hopper' },
    email_addresses: { items: [freshAddress()] },
  }
  const { status, body } = await api.post('/workspaces/acme/objects/person/records', {
    as: 'member',
    body: { data: { type: 'person', attributes } },
  })
  if (status !== 201) throw new Error(`no person: ${JSON.stringify(body)}`)
  return body.data.id
}

async function makeCompany({ api }: TestApp): Promise<string> {
  const { status, body } = await api.post('/workspaces/acme/objects/company/records', {
    as: 'member',
    body: { data: { type: 'company', attributes: {} } },
  })
  if (status !== 201) throw new Error(`no company: ${JSON.stringify(body)}`)
  return body.data.id
}

async function makeDeal({ api }: TestApp): Promise<string> {
  const { status, body } = await api.post('/workspaces/acme/objects/deal/records', {
    as: 'member',
    body: { data: { type: 'deal', attributes: {} } },
  })
  if (status !== 201) throw new Error(`no deal: ${JSON.stringify(body)}`)
  return body.data.id
}

/** Only its author may edit it, and that is who makes the examples' calls. */
async function makeComment(app: TestApp): Promise<string> {
  const message = [{ type: 'paragraph', content: [{ type: 'text', text: 'Hello' }] }]
  const { status, body } = await app.api.post('/workspaces/acme/comments', {
    body: { entity: 'person', owner_id: await makePerson(app), message },
  })
  if (status !== 201) throw new Error(`no comment: ${JSON.stringify(body)}`)
  return body._id
}

async function makeInvitation({ api }: TestApp): Promise<string> {
  const { status, body } = await api.post('/workspaces/acme/invitations', { body: { email: freshAddress() } })
  if (status !== 201) throw new Error(`no invitation: ${JSON.stringify(body)}`)
  return body.data.id
}

/** A grant of the record that the path names, or of the object. */
async function makeGrant({ api }: TestApp, { object, id }: Input): Promise<string> {
  const data = { type: 'object-record-access', attributes: { grantee_type: 'workspace', access_level: 'view' } }
  const { status, body } = await api.post(
    `/workspaces/acme/objects/${object}${id === undefined ? '' : `/records/${id}`}/access`,
    { body: { data } },
  )
  if (status !== 201 && status !== 200) throw new Error(`no grant: ${JSON.stringify(body)}`)
  return body.data.id
}

async function makeDeletedPerson(app: TestApp): Promise<string> {
  const id = await makePerson(app)
  const { status } = await app.api.delete(`/workspaces/acme/objects/person/records/${id}`, { as: 'member' })
  if (status !== 200) throw new Error(`not deleted: ${status}`)
  return id
}

/** Only who sent it may ask for it, and that is who makes the examples' calls. Any text is a key. */
async function makeRequest({ api }: TestApp): Promise<string> {
  const key = freshAddress()
  const { status } = await api.post('/workspaces/acme/objects/person/records', {
    body: { data: { type: 'person', attributes: {} } },
    headers: { 'Idempotency-Key': key },
  })
  if (status !== 201) throw new Error(`no request: ${status}`)
  return key
}

/** Returns whether a path is about a whole object. */
const isOfSchemas = (path: string): boolean => path.includes('/schemas/') || path.includes('/objects/{object}/access')

async function pathInput(app: TestApp, { path, method }: Endpoint): Promise<Record<string, Json>> {
  const input: Record<string, Json> = {}
  const segments = path.split('/')
  if (path.startsWith('/webhooks/workflows/') && method === 'GET') return checkedInput(app)
  if (path.startsWith('/webhooks/workflows/')) return { workspace: 'acme', workflow_id: await makeInboundWorkflow(app) }
  if (path.startsWith('/webhooks/agents/')) return { workspace: 'acme', agent_id: await makeAgent(app) }
  for (const name of pathParameters(path)) {
    const collection = segments[segments.indexOf(`{${name}}`) - 1] as string
    const make = (isOfSchemas(path) ? schemaMakers[collection] : undefined) ?? makers[collection]
    if (make === undefined)
      throw new Error(`${path}: say in tests/conformance/endpoints.ts how to make what /${collection}/{${name}} names.`)
    input[name] = await make(app, input, path)
  }
  return input
}

/** Makes what an id of the contract's examples stands for. */
const exampleMakers: Readonly<Record<string, (app: TestApp) => Promise<string> | string>> = {
  [exampleIds.person]: makePerson,
  [exampleIds.spare]: makePerson,
  [exampleIds.duplicate]: makePerson,
  [exampleIds.deleted]: makeDeletedPerson,
  [exampleIds.deal]: makeDeal,
  [exampleIds.company]: makeCompany,
  // Another one each time, for the record of the path: see `preparations`.
  [exampleIds.upload]: () => exampleIds.upload,
  [exampleIds.importUpload]: uploadImport,
  [exampleIds.member]: ({ userIds }) => userIds.viewer,
}
/** Examples that only one may have. */
const unique: ReadonlySet<string> = new Set(['Project', 'Mail Merge'])
const quotedId = /"([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8000-[0-9a-f]{12})"/g
const address = /^[^@\s]+@example\.com$/

/** The contract's example, with addresses of its own and, for ids, records that exist. */
async function bodyInput(app: TestApp, name: string, { examples, body }: Endpoint): Promise<Json> {
  if (body === undefined) return undefined
  if (examples?.body === undefined)
    throw new Error(`${name} takes a body: add examples.body to the contract, its tests are derived from it.`)
  const ids: string[] = []
  for (const [, id = ''] of JSON.stringify(examples.body).matchAll(quotedId)) {
    const make = exampleMakers[id]
    if (make === undefined)
      throw new Error(`${name}: say in tests/conformance/endpoints.ts how to make what ${id} stands for.`)
    ids.push(await make(app))
  }
  return JSON.parse(JSON.stringify(examples.body), (_key, value: Json) => {
    if (typeof value !== 'string') return value
    if (value in exampleMakers) return ids.shift()
    return address.test(value) ? freshAddress() : unique.has(value) ? freshName(value) : value
  })
}

/** Makes what must be there before a call has something to do. */
const preparations: Readonly<Record<string, (app: TestApp, input: Input) => Promise<unknown>>> = {
  'meetings.stopRecording': ({ api }, { meetingId }) => api.post(`/workspaces/acme/meetings/${meetingId}/recording`),
  // Another event each time, since each exists once.
  'meetings.importCalendar': async (_app, { body }) =>
    Object.assign(body, { ics: body.ics.replace('kick-off@', `kick-off-${++serial}@`) }),
  'meetings.searchTranscripts': (app, input) => makeMeeting(app, input, '/recordings'),
  'attachments.list': makeAttachment,
  'attachments.create': async (app, input) => Object.assign(input['body'], await uploadFile(app, input)),
  'notifications.list': makeNotifications,
  'webhooks.list': makeWebhook,
  'webhooks.listDeliveries': makeDelivery,
  'campaigns.list': (app, input) => makeCampaign(app, input, '}'),
  'campaigns.listRecipients': enrol,
  'campaigns.unenrol': (app, { campaignId, body }) =>
    app.api.post(`/workspaces/acme/campaigns/${campaignId}/recipients`, { body }),
  'agents.list': makeAgent,
  'agents.listRuns': async (app, input) => {
    for (let runs = 0; runs < 2; runs++) await makeAgentRun(app, input, '/runs')
  },
  'imports.list': (app, input) => makeImport(app, input, ''),
  'exports.list': makeExport,
  'emails.list': makeEmail,
  'suppressions.list': makeSuppression,
  'lists.list': makeList,
  'lists.listOfObject': makeList,
  'lists.listRecords': async (app, input) =>
    enlist(app, input, [
      { type: 'person', id: await makePerson(app) },
      { type: 'person', id: await makePerson(app) },
    ]),
  'lists.publish': async ({ api }, { list }) =>
    api.post(`/workspaces/acme/objects/person/lists/${list}/unpublish`, { as: 'member' }),
  'lists.removeRecords': (app, input) => enlist(app, input, input['body'].data),
  'workflows.listRuns': async ({ api }, { id }) => {
    for (let runs = 0; runs < 2; runs++) {
      const { body } = await api.post(`/workspaces/acme/workflows/${id}/runs`, { body: {} })
      await api.post(`/workspaces/acme/workflow-runs/${body.data.id}/cancel`)
    }
  },
  'settings.create': ({ api }) => api.delete('/workspaces/acme/settings', { body: { key: 'time_zone' } }),
  'settings.remove': ({ api }) =>
    api.post('/workspaces/acme/settings', { body: { key: 'time_zone', value: 'Asia/Kathmandu' } }),
  'layouts.update': ({ api }) => api.post('/workspaces/acme/layouts/list__person/reset'),
  'layouts.reset': ({ api }) => api.patch('/workspaces/acme/layouts/list__person', { body: { tree: [] } }),
  'relationships.list': async (app, input) =>
    link(app, input, [
      { type: 'deal', id: await makeDeal(app) },
      { type: 'deal', id: await makeDeal(app) },
    ]),
  'relationships.remove': (app, input) => link(app, input, input['body'].data),
}

/** Two people of a campaign, whose runs have ended. */
async function enrol(app: TestApp, { campaignId }: Input): Promise<void> {
  const body = { items: [await makePerson(app), await makePerson(app)] }
  await app.api.post(`/workspaces/acme/campaigns/${campaignId}/recipients`, { body })
  await app.api.delete(`/workspaces/acme/campaigns/${campaignId}/recipients`, { body })
}

async function enlist({ api }: TestApp, { list }: Input, data: Json): Promise<void> {
  const { status, body } = await api.post(`/workspaces/acme/objects/person/lists/${list}/resources`, {
    as: 'member',
    body: { data },
  })
  if (status !== 200) throw new Error(`not in the list: ${JSON.stringify(body)}`)
}

async function link({ api }: TestApp, { id }: Input, data: Json): Promise<void> {
  const { status, body } = await api.post(`/workspaces/acme/objects/person/records/${id}/relationships/deals`, {
    as: 'member',
    body: { data },
  })
  if (status !== 200) throw new Error(`no links: ${JSON.stringify(body)}`)
}

/**
 * The same call without what its example asks for in the body, where the query may ask for it too: it is asked for
 * once.
 */
export const inQuery = (input: Input, { safe, query }: Endpoint): Input =>
  safe === true && query !== undefined && 'fields' in query.shape ? { ...input, body: {} } : input

/** A call that succeeds, on things of its own, when an admin with an access token makes it. */
export async function exampleInput(app: TestApp, name: string, endpoint: Endpoint): Promise<Input> {
  // Work that earlier calls have left would happen in the middle of this one.
  await app.idle()
  const body = await bodyInput(app, name, endpoint)
  const path = await pathInput(app, endpoint)
  const input = { ...path, ...(body !== undefined && { body: aboutObject(body, path['object'] ?? path['entity']) }) }
  await preparations[name]?.(app, input)
  return input
}

/** The examples of schemas speak of one object; here it is another one each time, with other fields that lead to it. */
function aboutObject(body: Json, object: Json): Json {
  const text = JSON.stringify(body).replaceAll('"committees"', `"committees_${++serial}"`)
  return JSON.parse(object?.startsWith('c_') === true ? text.replaceAll('c_committee', object) : text)
}

import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { errorCodes, errorCodesOf, isMutation, isOpen, type ErrorCode } from '@kontor/contract'
import { startApp, type TestApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey } from '../harness/people.ts'
import { turnOf } from '../harness/size.ts'
import {
  all,
  endpoints,
  exampleInput,
  filtersByField,
  hasParameter,
  inQuery,
  type Input,
  type NamedEndpoint,
  withShapedBody,
} from './endpoints.ts'
import { expectError } from './expect.ts'
import { surfaces, type CallOptions } from './surfaces.ts'

const app = await startApp()

const unknownId = '019b2f6e-7a00-7000-8000-00000000dead'
let serial = 0

type Provoked = { readonly input: Input; readonly options?: CallOptions }

/** Makes a call that its endpoint must refuse with one code, from a call that is right. */
type Provoke = (right: Input, named: NamedEndpoint, app: TestApp) => Promise<Provoked> | Provoked

/** A call without the secret that the workflow asks for. */
async function withSecret(input: Input, { api }: TestApp): Promise<Provoked> {
  const trigger = { plugin_id: 'on:svc:automation-webhook', input: { secret: 'open sesame, please' } }
  await api.patch(`/workspaces/acme/workflows/${input['workflow_id']}`, { body: { trigger } })
  return { input }
}

/** The attributes of every record in a body, whatever the shape around them. */
const withAttributes = (input: Input, attributes: Json, more: Json = {}): Input => {
  const { match_on: _matchOn, ...body } = input['body']
  const change = (item: Json) => ({ ...item, attributes: { ...item.attributes, ...attributes } })
  return {
    ...input,
    body: { ...body, data: Array.isArray(body.data) ? body.data.map(change) : change(body.data), ...more },
  }
}

/** One condition, where the endpoint takes them: in the query or in the body. */
async function filtered(
  input: Input,
  { name, endpoint }: NamedEndpoint,
  { api }: TestApp,
  field: string,
  op: string,
  value: string,
): Promise<Input> {
  const filter = { field, op, value }
  if (name.startsWith('webhooks.'))
    return { ...input, body: { ...input['body'], filter: { object: 'deal', where: filter } } }
  if (name === 'lists.create') return { ...input, body: { title: 'x', type: 'dynamic', query: { filter } } }
  if (name === 'lists.update') return { ...input, list: await makeDynamicList(api), body: { query: { filter } } }
  return hasParameter(endpoint, 'filter')
    ? { ...input, filter: { [field]: { [op]: value } } }
    : { ...input, body: { filter } }
}

/** One that fits no record: what enters a list would be told of while something else happens. */
async function makeDynamicList(api: TestApp['api'], object = 'person'): Promise<string> {
  const body = { title: 'Dynamic', type: 'dynamic', query: { filter: { field: '_id', op: 'Is', value: unknownId } } }
  return (await api.post(`/workspaces/acme/objects/${object}/lists`, { body })).body.data.id
}

/** Deleted records are filtered only by their time. */
const filteredField = ({ name }: NamedEndpoint): string =>
  name === 'resources.listDeleted' ? '_deleted_at' : name === 'workflows.list' ? 'name' : '_id'

/** Of any field that is no option of it, where there are fields of a deal. */
async function withUnknownValue(input: Input, named: NamedEndpoint, one: TestApp): Promise<Input> {
  const { name } = named
  if (name === 'search.query') return { ...input, body: { ...input['body'], entities: ['persn'] } }
  if (name === 'schemas.describe') return { ...input, objects: ['persn'] }
  if (name === 'access.explain') return { ...input, user: unknownId }
  if (name === 'lists.list') return { ...input, filter: { entity: ['persn'] } }
  if (name === 'resources.listDeleted')
    return filtered(input, named, one, filteredField(named), 'Within', 'the last blue moon')
  const wrong = await filtered(input, named, one, 'stage', 'Is', 'Nearly')
  // Related records are deals already.
  if (input['relationship'] !== undefined || name.startsWith('webhooks.')) return wrong
  return {
    ...wrong,
    object: 'deal',
    ...(input['list'] !== undefined && { list: await makeDynamicList(one.api, 'deal') }),
  }
}

/** A list whose filters are no fields of an object still sorts by them. */
const takesSort = ({ endpoint }: NamedEndpoint): boolean =>
  hasParameter(endpoint, 'sortOrder') && !filtersByField(endpoint)

async function heldAddress({ api }: TestApp): Promise<string> {
  const address = `held-${++serial}@example.com`
  const attributes = { email_addresses: { items: [address] } }
  expect(
    (await api.post('/workspaces/acme/objects/person/records', { body: { data: { type: 'person', attributes } } }))
      .status,
  ).toBe(201)
  return address
}

/** A deleted person whose address another person has by now. */
async function deletedHolder({ api }: TestApp): Promise<string> {
  const attributes = { email_addresses: { items: [`held-${++serial}@example.com`] } }
  const post = () =>
    api.post('/workspaces/acme/objects/person/records', { body: { data: { type: 'person', attributes } } })
  const { id } = (await post()).body.data
  expect((await api.delete(`/workspaces/acme/objects/person/records/${id}`)).status).toBe(200)
  expect((await post()).status).toBe(201)
  return id
}

/** A comment whose id another one has. */
async function heldComment({ api }: TestApp, body: Json): Promise<string> {
  const _id = randomUUID()
  expect((await api.post('/workspaces/acme/comments', { body: { ...body, _id } })).status).toBe(201)
  return _id
}

/** Things that have a value already where that is no address of a record. */
const holding: Readonly<Record<string, (input: Input, one: TestApp) => Promise<Input> | Input>> = {
  'apps.create': async (input, { api }) => {
    expect((await api.post('/workspaces/acme/apps', { body: input['body'] })).status).toBe(201)
    return input
  },
  'invitations.create': (input) => ({ ...input, body: { email: 'member@example.com' } }),
  'records.restore': async (input, one) => ({ ...input, body: { items: [await deletedHolder(one)] } }),
  'comments.create': async (input, one) => ({
    ...input,
    body: {
      ...input['body'],
      _id: await heldComment(one, input['body']),
      message: [{ type: 'paragraph', content: [{ type: 'text', text: 'Another' }] }],
    },
  }),
}

/** A credential that may do less than the keys of the examples. */
const narrowed = async ({ issuer, userIds }: TestApp) => ({
  authorization: `Bearer ${(await issuer.mint(userIds.admin, ['lists:read'])).access_token}`,
})

/** Names a webhook that sends more than the key of the call may see. */
async function beyondKey(input: Input, { api }: TestApp): Promise<Provoked> {
  const webhook = { url: 'https://receiver.example/', events: ['list.deleted'] }
  const { id } = (await api.post('/workspaces/acme/webhooks', { body: webhook })).body.data
  const { key } = await createKey(api.post, 'admin', { scopes: ['webhooks:read'] })
  return { input: { ...input, id }, options: { as: { authorization: `api-key ${key}` } } }
}

/**
 * Provokes each code, wherever it is declared. A code of the contract that is missing here does not compile: say how to
 * provoke it, or which test does.
 */
const provoke: Readonly<Record<ErrorCode, Provoke | `in ${string}` | 'by no endpoint yet'>> = {
  malformed_json: 'in bodies.test.ts',
  unknown_parameter: (input) => ({ input: { ...input, bogus: 'x' } }),
  invalid_parameter: (input) => ({
    input,
    options: { headers: { 'Idempotency-Key': 'x'.repeat(300), 'If-Match': 'x' } },
  }),
  unknown_field: async (input, named, one) => {
    if (takesSort(named)) return { input: { ...input, sortOrder: { column: 'nothing', dir: 'ASC' } } }
    return {
      input: hasParameter(named.endpoint, 'include')
        ? { ...input, include: ['nothing'] }
        : await filtered(input, named, one, 'nothing', 'Is', 'x'),
    }
  },
  unknown_operator: async (input, named, one) => ({
    input: await filtered(input, named, one, filteredField(named), 'Resembles', 'x'),
  }),
  unknown_value: async (input, named, one) => ({ input: await withUnknownValue(input, named, one) }),
  cursor_mismatch: (input, { endpoint }) => ({
    input: { ...input, page: endpoint.path.endsWith('/schemas') ? { cursor: '?' } : { after: 'x' } },
  }),
  unauthenticated: (input) => ({ input, options: { as: 'anonymous' } }),
  key_invalid: (input) => ({ input, options: { as: { authorization: 'api-key pk_nothing' } } }),
  key_expired: 'in credentials.test.ts',
  user_token_required: (input) => ({ input, options: { as: 'adminKey' } }),
  insufficient_scope: 'in authorisation.test.ts',
  // A caller who may read a list may not have it explained. Access is for people, and keys belong to their makers.
  async forbidden(input, { name, endpoint }, one) {
    if (name === 'webhooks.getDelivery') return beyondKey(input, one)
    if (name === 'inboundWebhooks.workflow') return withSecret(input, one)
    const isOfPeople = /^(access|notifications)\./.test(name)
    return {
      input: hasParameter(endpoint, 'explain') ? { ...input, explain: true } : input,
      options: { as: isOfPeople ? 'workspaceKey' : name.startsWith('apiKeys.') ? await narrowed(one) : 'viewer' },
    }
  },
  not_found: (input) => ({ input: { ...input, workspace: 'nowhere' } }),
  related_not_found(input) {
    if (input['list'] !== undefined) return { input: { ...input, body: { data: [{ type: 'person', id: unknownId }] } } }
    const data = [{ type: 'deal', id: unknownId }]
    return {
      input: {
        ...input,
        body: {
          data:
            input['relationship'] === undefined ? { ...input['body'].data, relationships: { deals: { data } } } : data,
        },
      },
    }
  },
  method_not_allowed: 'in methods.test.ts',
  unique_violation: async (input, { name }, one) => ({
    input:
      (await holding[name]?.(input, one)) ??
      withAttributes(input, { email_addresses: { items: [await heldAddress(one)] } }),
  }),
  match_ambiguous: async (input, _named, one) => ({
    input: withAttributes(
      input,
      { email_addresses: { items: [await heldAddress(one), await heldAddress(one)] } },
      { match_on: 'email_addresses' },
    ),
  }),
  last_admin: (input, { endpoint }, one) => ({
    input: { ...input, id: one.userIds.admin, ...(endpoint.body !== undefined && { body: { role: 'viewer' } }) },
  }),
  schema_modification_in_progress: 'in schemas/replace-queued.test.ts',
  list_broken: 'in lists/schemas.test.ts',
  campaign_state: 'in campaigns/recipients.test.ts',
  import_state: 'in imports/revert.test.ts',
  run_state: 'in workflows/run-changes.test.ts',
  idempotency_in_progress: 'in idempotency.test.ts',
  cursor_expired: 'by no endpoint yet',
  events_expired: 'in tests/events/list.test.ts',
  version_mismatch: async (input, { endpoint }, one) => {
    const options = { headers: { 'If-Match': '"77"' } }
    if (/(\{id\}|\{list\}|\{campaignId\}|\{agentId\}|\/recording)$/.test(endpoint.path)) return { input, options }
    return {
      input: withAttributes(
        input,
        { email_addresses: { items: [await heldAddress(one)] } },
        { match_on: 'email_addresses' },
      ),
      options,
    }
  },
  payload_too_large: 'in bodies.test.ts',
  uri_too_long: 'in headers.test.ts',
  unsupported_media_type: 'in bodies.test.ts',
  invalid_body: (input) => ({ input: { ...input, body: { bogus: 1 } } }),
  idempotency_key_reused: 'in idempotency.test.ts',
  unsupported_sql: 'in lists/hostile-sql.test.ts',
  headers_too_large: 'in server/lifecycle.test.ts',
  rate_limited: 'in rate-limit.test.ts',
  internal: 'by no endpoint yet',
  starting: 'in server/starting.long.test.ts',
  unavailable: 'in server/away.test.ts',
  range_not_satisfiable: 'in attachments/bytes.test.ts',
  upload_ended: 'in attachments/bytes.test.ts',
  url_expired: 'in attachments/bytes.test.ts',
  overloaded: 'in the tests of the database',
}

/** Operations whose body has `match_on`. */
const matchesOn: ReadonlySet<string> = new Set(['records.create', 'records.createMany'])

describe.each(errorCodes.filter((code) => typeof provoke[code] === 'function'))('%s', (code) => {
  const declaring = endpoints.filter(({ endpoint }) => errorCodesOf(endpoint).includes(code))
  // A read without a header of ours has no wrong one; what takes no body is in methods.test.ts.
  const provoking = declaring.filter(({ name, endpoint }) => {
    if (code === 'invalid_parameter') return isMutation(endpoint) && !isOpen(endpoint)
    // References by value are ambiguous in records/references-by-value.test.ts.
    if (code === 'match_ambiguous') return matchesOn.has(name)
    return code !== 'invalid_body' || withShapedBody.some(([shaped]) => shaped === name)
  })

  test.for(
    turnOf(
      21,
      provoking.map(({ name, endpoint }) => [name, endpoint] as const),
    ),
  )('%s answers with it on every surface', async ([name, endpoint]) => {
    const right = inQuery(await exampleInput(app, name, endpoint), endpoint)
    // A refused call changes nothing, so that it can be refused three times.
    const { input, options } = await (provoke[code] as Provoke)(right, { name, endpoint }, app)
    for (const surface of Object.values(surfaces)) {
      await app.events()
      expectError(endpoint, await surface(app, name, endpoint, input, options), code)
      expect(await app.events()).toEqual([])
    }
  })
})

test('a code that no endpoint declares is not claimed to be provoked', () => {
  const declared = new Set(all.flatMap(([, endpoint]) => errorCodesOf(endpoint)))
  expect(errorCodes.filter((code) => provoke[code] === 'by no endpoint yet' && declared.has(code))).toEqual([
    'internal',
  ])
})

import { z } from 'zod'
import { exampleIds, type Endpoint } from '@kontor/contract'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import type { JsonSchema } from '../harness/json-schema.ts'
import { nextNumber, pointersOf, recordsPath } from '../harness/records.ts'
import { exampleInput, withBody } from './endpoints.ts'
import { expectSuccess } from './expect.ts'
import { rest } from './surfaces.ts'

const app = await startApp()

/** Where the body of an endpoint has ids: `references` takes a unique value too. Items are not numbered. */
type Places = { readonly references: ReadonlySet<string>; readonly ids: ReadonlySet<string> }

const examples: ReadonlySet<unknown> = new Set(Object.values(exampleIds))
const looksLikeId = (name: string, { type, enum: options, example }: JsonSchema & { example?: unknown }): boolean =>
  type === 'string' && options === undefined && (/(?:^|_)ids?$|Ids?$/.test(name) || examples.has(example))

const nameOf = ({ $ref = '' }: JsonSchema): string => $ref.split('/').at(-1) as string
const isReference = (one: JsonSchema): boolean => ['RecordReference', 'RecordMatch'].includes(nameOf(one))

function placesOf({ body }: Endpoint): Places {
  const root = z.toJSONSchema(body as z.ZodType, { io: 'input' }) as JsonSchema
  const [references, ids] = [new Set<string>(), new Set<string>()]
  const walk = (schema: JsonSchema, path: readonly string[], within: readonly string[]): void => {
    const options = schema.anyOf ?? schema.oneOf ?? []
    if (isReference(schema) || options.some(isReference)) return void references.add(path.join('.'))
    const name = nameOf(schema)
    if (schema.$ref !== undefined && !within.includes(name))
      walk(root.$defs?.[name] as JsonSchema, path, [...within, name])
    for (const one of options) walk(one, path, within)
    for (const [key, one] of Object.entries(schema.properties ?? {})) walk(one, [...path, key], within)
    if (typeof schema.items === 'object') walk(schema.items, path, within)
    if (typeof schema.additionalProperties === 'object') walk(schema.additionalProperties, [...path, '*'], within)
    if (looksLikeId(path.at(-1) ?? '', schema)) ids.add(path.join('.'))
  }
  walk(root, [], [])
  return { references, ids }
}

/** Ids in bodies that name no record, or none that a value could find. */
const others: readonly RegExp[] = [
  // The id of the path, sent back.
  /^\w+\.update\w* data\.id$/,
  /^(?:invitations|apps|lists|webhooks|workflows|campaigns|agents|suppressions)\.create data\.id$/,
  /^(?:workflows|campaigns|agents)\.\w+ .*\b(?:_id|plugin_id|list_id|owner_id|acting_id|enrolment_task_id|_\w+_by)$/,
  /^schemas\.\w+ .*xSvcEnumMetadata\.\*\.id$/,
  // Those who are granted something, mentioned or notified, and who spoke.
  /^access\.\w+ .*(?:grantee_id|delegate_id)$/,
  /^comments\.\w+ message\.id$/,
  /^meetings\.\w+ .*speaker_id$/,
  // A file, and a list.
  /^imports\.create upload_id$/,
  /^exports\.create list$/,
  // The secret of an app.
  /^apps\.rotate secret_id$/,
  // Comments, files and notifications.
  /^comments\.create (?:_id|attachment_ids)$/,
  /^imports\.(create|preview) upload_id$/,
  /^attachments\.create attachmentId$/,
  /^meetings\.\w+ recordingId$/,
  /^notifications\.read items$/,
  // Deleted records have let go of their values.
  /^records\.restore items$/,
]

test('a body that takes the id of a record takes a unique value of it, wherever the id is', () => {
  const unknown = withBody.flatMap(([name, endpoint]) =>
    [...placesOf(endpoint).ids].map((path) => `${name} ${path}`).filter((one) => !others.some((id) => id.test(one))),
  )
  expect(unknown, 'use recordReference for the id of a record, or list the id among the others').toEqual([])
})

/** The location of each value at a place in a body: members and positions. */
function locate(value: Json, place: readonly string[], at: readonly (string | number)[] = []): (string | number)[][] {
  if (Array.isArray(value)) return value.flatMap((one, index) => locate(one, place, [...at, index]))
  const [key, ...below] = place
  if (key === undefined) return typeof value === 'string' ? [[...at]] : []
  if (typeof value !== 'object' || value === null) return []
  const keys = key === '*' ? Object.keys(value) : key in value ? [key] : []
  return keys.flatMap((one) => locate(value[one], below, [...at, one]))
}

function replaced(value: Json, [key, ...below]: readonly (string | number)[], by: (id: string) => Json): Json {
  if (key === undefined) return by(value)
  const copy = Array.isArray(value) ? [...value] : { ...value }
  copy[key] = replaced(copy[key], below, by)
  return copy
}

/** Gives a record a unique value of its own, and returns a match that finds it, and one that finds none. */
async function matchesOf(id: string): Promise<{ readonly field: string; readonly found: Json; readonly none: Json }> {
  const number = nextNumber()
  const unique = {
    person: ['email_addresses', `match-${number}@example.com`],
    company: ['domains', `match-${number}.example.com`],
    deal: ['name', `Match ${number}`],
  } as const
  for (const [object, [field, value]] of Object.entries(unique)) {
    const attributes = { [field]: object === 'deal' ? value : { items: [value] } }
    const { status } = await app.api.patch(`${recordsPath(object)}/${id}`, {
      body: { data: { type: object, attributes } },
    })
    if (status === 200)
      return { field, found: { match: { [field]: value } }, none: { match: { [field]: `no-${value}` } } }
  }
  throw new Error(`${id} is no person, company or deal: say in references.test.ts what is unique of it.`)
}

/** Examples that have no link where one may be. */
const linked: Readonly<Record<string, (body: Json) => Promise<Json>>> = {
  'resources.create': async (body) => {
    const { body: company } = await app.api.post(recordsPath('company'), {
      body: { data: { type: 'company', attributes: {} } },
    })
    const company_id = { data: { type: 'company', id: company.data.id } }
    return { ...body, data: { ...body.data, relationships: { company_id } } }
  },
}

/** Those whose answer names the record. */
const telling = new Set(['comments.create', 'workflows.run', 'agents.run', 'campaigns.preview', 'campaigns.enrol'])

const referring = withBody.flatMap(([name, endpoint]) =>
  [...placesOf(endpoint).references].map((place): [string, string, Endpoint] => [name, place, endpoint]),
)

test.each(referring)(
  '%s: %s is found by a unique value, and one that finds nothing is 422',
  async (name, place, endpoint) => {
    const input = await exampleInput(app, name, endpoint)
    const body = (await linked[name]?.(input['body'])) ?? input['body']
    const [location] = locate(body, place.split('.'))
    if (location === undefined) throw new Error(`The example of ${name} has no ${place}: add it to the contract.`)
    let id = ''
    replaced(body, location, (given) => (id = given))
    const { field, found, none } = await matchesOf(id)
    const send = (match: Json) => rest(app, name, endpoint, { ...input, body: replaced(body, location, () => match) })
    const refused = await send(none)
    expect([refused.status, pointersOf(refused)]).toEqual([422, [`/${location.join('/')}/match/${field}`]])
    const answer = await send(found)
    expectSuccess(endpoint, answer)
    if (telling.has(name)) expect(JSON.stringify(answer.body)).toContain(id)
  },
)

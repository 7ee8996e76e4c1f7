import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  errorCodesOf,
  isConditional,
  isMutation,
  isOpen,
  isStream,
  pathParameters,
  type Contract,
  type Endpoint,
} from './endpoint.ts'
import { errorDefinitions } from './errors.ts'
import { contract, eventAttributes, eventTypes, webhookBody, type EventResource } from './index.ts'
import { namedSchemas, operationId, toOpenApi } from './openapi.ts'
import { answerOf } from './openapi/answers.ts'
import { queryFields } from './query-fields.ts'
import { withoutBody } from './shared.ts'

type Json = { [key: string]: Json } & {
  $ref?: string
  in?: string
  name?: string
  operationId?: string
  description?: string
}

const document: Json = JSON.parse(
  JSON.stringify(toOpenApi(contract, { serverUrl: 'http://kontor.test/v1', authUrl: 'http://kontor.test' })),
)

const values = (node: Json | undefined) => Object.values(node ?? {}) as Json[]

const resolve = (pointer: string): Json | undefined =>
  pointer
    .slice(2)
    .split('/')
    .reduce<Json | undefined>((node, key) => node?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document)

const follow = (node: Json | undefined): Json | undefined => (node?.$ref ? follow(resolve(node.$ref)) : node)

const endpoints = Object.entries(contract as Contract).flatMap(([domain, byKey]) =>
  Object.entries(byKey).map(([key, endpoint]): [string, Endpoint] => [operationId(domain, key), endpoint]),
)

const operationOf = (endpoint: Endpoint) => document.paths?.[endpoint.path]?.[endpoint.method.toLowerCase()]

function* allReferences(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return
  if ('$ref' in node && typeof node.$ref === 'string') yield node.$ref
  for (const value of Object.values(node)) yield* allReferences(value)
}

describe('the document', () => {
  it('has no reference that leads nowhere', () => {
    const dangling = [...new Set(allReferences(document))].filter((pointer) => resolve(pointer) === undefined)
    expect(dangling).toEqual([])
  })

  it('has as many operations as the contract has endpoints, each under its own id', () => {
    const ids = values(document.paths)
      .flatMap(values)
      .map(({ operationId: id }) => id ?? '')
    expect(ids.toSorted()).toEqual(endpoints.map(([id]) => id).toSorted())
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('has no two paths that differ by a parameter’s name alone', () => {
    const shapes = Object.keys(document.paths ?? {}).map((path) => path.replaceAll(/\{\w+\}/g, '{}'))
    expect(new Set(shapes).size).toBe(shapes.length)
  })

  it('has no empty query, which would leave no input to typed clients', () => {
    const empty = endpoints.filter(([, { query }]) => query !== undefined && queryFields(query).length === 0)
    expect(empty.map(([id]) => id)).toEqual([])
  })

  it('has every schema with an id as a component, and no other', () => {
    expect(Object.keys(document.components?.schemas ?? {}).toSorted()).toEqual(
      [...namedSchemas(contract).keys()].toSorted(),
    )
  })
})

describe.each(endpoints)('%s', (id, endpoint) => {
  const operation = operationOf(endpoint)

  it('is there, with a summary, its tag and its stability', () => {
    expect(operation).toMatchObject({
      operationId: id,
      summary: endpoint.summary,
      tags: [expect.any(String)],
      'x-stability': endpoint.deprecated === undefined ? 'stable' : 'deprecated',
    })
  })

  it('names its successes and every error that it may answer with', () => {
    const errors = errorCodesOf(endpoint).map((code) => [code, String(errorDefinitions[code].status)] as const)
    const successes = [
      String(endpoint.status ?? 200),
      ...(endpoint.alternativeStatus ? [String(endpoint.alternativeStatus.status)] : []),
      ...(isConditional(endpoint) ? ['304'] : []),
    ]
    expect(Object.keys(operation?.responses ?? {}).toSorted()).toEqual(
      [...new Set([...successes, ...errors.map(([, status]) => status)])].toSorted(),
    )
    for (const [code, status] of errors) {
      const response = follow(operation?.responses?.[status])
      expect(response?.description).toContain(`(\`${code}\`)`)
      expect(response?.content?.['application/json']?.examples?.[code]).toBeDefined()
      expect(response?.content?.['application/problem+json']?.schema).toEqual({
        $ref: '#/components/schemas/ErrorBody',
      })
    }
  })

  it('takes what the contract says: path, query, headers', () => {
    const parameters = values(operation?.parameters)
      .map(follow)
      .map((parameter) => `${parameter?.in} ${parameter?.name}`)
    const query = endpoint.query ? queryFields(endpoint.query).map(({ name }) => `query ${name}`) : []
    const headers = [
      ...(isStream(endpoint) ? ['header Last-Event-ID'] : []),
      ...(endpoint.replica ? ['header X-Svc-Position'] : []),
      ...(isConditional(endpoint) ? ['header If-None-Match'] : []),
      ...(isMutation(endpoint) && !isOpen(endpoint) ? ['header Idempotency-Key'] : []),
      ...(errorCodesOf(endpoint).includes('version_mismatch') && endpoint.method !== 'POST' ? ['header If-Match'] : []),
    ]
    expect(parameters.toSorted()).toEqual(
      [...pathParameters(endpoint.path).map((name) => `path ${name}`), ...query, ...headers].toSorted(),
    )
  })

  it('has the security of its caller and scope', () => {
    const schemes = Object.values(operation?.security ?? {}).flatMap((alternative) => Object.entries(alternative))
    const forApps = endpoint.scope !== null || endpoint.openToApps !== undefined ? ['oauth'] : []
    const expected = {
      public: [],
      address: [],
      user: ['userToken', ...forApps],
      any: ['apiKey', 'apiKeyHeader', 'userToken', ...forApps],
    }[endpoint.caller]
    expect(schemes.map(([name]) => name)).toEqual(expected)
    if (schemes.some(([name]) => name === 'oauth'))
      expect(Object.fromEntries(schemes).oauth).toEqual(
        [endpoint.scope ?? endpoint.openToApps, endpoint.recordScope].filter((scope) => typeof scope === 'string'),
      )
  })

  it('shows examples that its own schemas accept', () => {
    endpoint.body?.parse(endpoint.examples?.body)
    const { status = 200, response, alternativeStatus: other } = endpoint
    const answer = answerOf(id, status)
    // Of two of one status, what is recorded is the usual one.
    const otherAnswer = other && other.status !== status ? answerOf(id, other.status) : undefined
    if (answer !== undefined) response.parse(answer)
    if (otherAnswer !== undefined) (other?.response ?? response).parse(otherAnswer)
    // A check of an address is answered to what the sender sends along, and a stream has no end.
    const isUnrecorded = endpoint.media === 'text/event-stream' || endpoint.media === 'text/plain'
    const hasBody = response !== withoutBody && !isUnrecorded
    expect(
      [answer, otherAnswer].some((one) => one !== undefined),
      'an example of an answer',
    ).toBe(hasBody)
  })
})

const answeringOnce = (response: z.ZodType): Endpoint => ({
  method: 'GET',
  path: '/x',
  summary: '',
  description: '',
  caller: 'any',
  scope: null,
  response,
})
const answering = (response: z.ZodType): Contract => ({ api: { get: answeringOnce(response) } })

it('says of an operation that is to go since when, until when, and what to use instead', () => {
  const deprecated = { since: '2026-12-01', ends: '2028-01-01', instead: 'y.get' }
  const endpoint = { ...answeringOnce(z.string()), deprecated }
  const { paths } = toOpenApi({ api: { get: endpoint } }, { serverUrl: '', authUrl: '' })
  expect(paths?.['/x']?.get).toMatchObject({
    deprecated: true,
    'x-stability': 'deprecated',
    description: expect.stringMatching(/^Deprecated since 2026-12-01, ends on 2028-01-01: use `y.get` instead\./),
  })
})

it('lets no operation end within a year, nor without one that takes its place', () => {
  for (const [id, { deprecated }] of endpoints) {
    if (deprecated === undefined) continue
    expect(
      endpoints.map(([other]) => other.replace('_', '.')),
      id,
    ).toContain(deprecated.instead)
    const { since, ends = '9999-01-01' } = deprecated
    expect(Date.parse(ends) - Date.parse(since), id).toBeGreaterThanOrEqual(365 * 24 * 60 * 60 * 1000)
  }
})

it('gives every list of pages its pages and an order', () => {
  const unsorted = endpoints.flatMap(([name, endpoint]) => {
    const isList =
      endpoint.method === 'GET' &&
      endpoint.response instanceof z.ZodObject &&
      'links' in endpoint.response.shape &&
      'meta' in endpoint.response.shape
    const { page, sortOrder } = endpoint.query?.shape ?? {}
    return isList && (page === undefined || sortOrder === undefined) ? [name] : []
  })
  // Spec §4: every workspace of the person, in one page. Events have an order of their own, and go on by their number.
  expect(unsorted).toEqual(['workspaces_list', 'events_list'])
})

it('has a webhook for each type of event, whose body is what is sent of one', () => {
  const webhooks = (document.webhooks ?? {}) as Record<string, Json>
  expect(Object.keys(webhooks)).toEqual(eventTypes)
  for (const type of eventTypes) {
    const schema = webhooks[type]?.post?.requestBody?.content?.['application/json']?.schema
    const attributes = Object.fromEntries(Object.keys(eventAttributes[type].shape).map((name) => [name, name]))
    const sent = webhookBody({ type: 'event', id: 'id', attributes } as unknown as EventResource)
    expect(new Set(Object.values(schema?.required ?? {}))).toEqual(new Set(Object.keys(sent)))
  }
})

describe('namedSchemas', () => {
  it('refuses one id on two schemas', () => {
    const both = z.tuple([
      z.object({ a: z.string() }).meta({ id: 'TestSame' }),
      z.object({ b: z.string() }).meta({ id: 'TestSame' }),
    ])
    expect(() => namedSchemas(answering(both))).toThrow('two schemas have the id TestSame')
  })

  it('finds schemas wherever they are', () => {
    const inner = z.object({ deep: z.array(z.string()) }).meta({ id: 'TestInner' })
    const wrapped = z
      .object({ a: z.record(z.string(), z.union([z.null(), inner.nullable().optional()])) })
      .catchall(z.unknown())
    expect([...namedSchemas(answering(wrapped)).keys()]).toEqual([
      'TestInner',
      'ErrorBody',
      'ApiError',
      'ErrorCode',
      'ErrorSource',
    ])
  })
})

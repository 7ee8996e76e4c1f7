import { describe, expect, test } from 'vitest'
import { pathParameters } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import { createKey } from '../harness/people.ts'
import { turnOf } from '../harness/size.ts'
import { bodyFaults } from './body-faults.ts'
import {
  all,
  closed,
  exampleInput,
  filtersByField,
  hasParameter,
  select,
  withShapedBody,
  type Input,
} from './endpoints.ts'
import { expectError } from './expect.ts'
import { normalise, withoutTokens } from './normalise.ts'
import { actions, rest, surfaces, trpc, type CallOptions } from './surfaces.ts'

const app = await startApp()

/** Checks of addresses are in the query, which only REST has. */
const overAll = all.filter(([, { takesQuery, method }]) => takesQuery !== true || method !== 'GET')

describe('success', () => {
  test.for(turnOf(12, overAll))('%s: tRPC and actions answer as REST does', async ([name, endpoint]) => {
    const [overRest, overTrpc, overActions] = await Promise.all(
      [rest, trpc, actions].map(async (surface) =>
        surface(app, name, endpoint, await exampleInput(app, name, endpoint)),
      ),
    )
    expect(overTrpc?.status).toBe(200)
    expect(overActions?.status).toBe(overRest?.status)
    expect(overTrpc?.headers['etag']).toBe(overRest?.headers['etag'])
    expect(overActions?.headers['etag']).toBe(overRest?.headers['etag'])
    if (endpoint.method === 'GET' && 'page' in (endpoint.query?.shape ?? {})) return
    expect(normalise(overTrpc?.body)).toEqual(normalise(overRest?.body))
    expect(normalise(overActions?.body)).toEqual(normalise(overRest?.body))
  })

  test.for(
    turnOf(
      13,
      select(({ method }) => method === 'GET'),
    ),
  )('%s: a read is the same to the letter', async ([name, endpoint]) => {
    const input = {
      ...(await exampleInput(app, name, endpoint)),
      ...(hasParameter(endpoint, 'page') && { page: { limit: 3 } }),
    }
    const body = withoutTokens((await rest(app, name, endpoint, input)).body)
    expect(withoutTokens((await trpc(app, name, endpoint, input)).body)).toEqual(body)
    expect(withoutTokens((await actions(app, name, endpoint, input)).body)).toEqual(body)
  })
})

test('an action without input needs neither a body nor its type', async () => {
  const headers = { Authorization: `Bearer ${app.credentials.cast.tokens.admin}` }
  const { status, body } = await app.http.send({
    method: 'POST',
    url: `${app.origin}/actions/workspaces.list`,
    headers,
  })
  expect(status).toBe(200)
  expect(body).toEqual((await app.api.get('/workspaces')).body)
  for (const [name, endpoint] of closed) {
    const refused = await app.http.send({ method: 'POST', url: `${app.origin}/actions/${name}` })
    expectError(endpoint, { ...refused, body: { errors: refused.body.errors } }, 'unauthenticated')
  }
})

/** The same call on every surface, under one request id, so that the whole error body is the same. */
async function expectSameError(
  name: string,
  endpoint: (typeof all)[number][1],
  input: Input,
  options: CallOptions = {},
): Promise<void> {
  const headers = { 'X-Request-Id': 'same', ...options.headers }
  const { query, ...others } = options
  const overRest = await rest(app, name, endpoint, input, { ...options, headers })
  expect(overRest.status).toBeGreaterThanOrEqual(400)
  for (const surface of [trpc, actions]) {
    const outcome = await surface(app, name, endpoint, { ...input, ...query }, { ...others, headers })
    expect(outcome.body).toEqual(overRest.body)
    expect(outcome.status).toBe(overRest.status)
    for (const header of ['www-authenticate', 'retry-after', 'x-request-id'])
      expect(outcome.headers[header]).toBe(overRest.headers[header])
  }
}

describe('errors', () => {
  test.for(turnOf(14, closed))('%s: who calls and where', async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    const narrow = await createKey(app.api.post, 'admin', {
      scopes: [endpoint.scope === 'comments:read' ? 'lists:read' : 'comments:read'],
    })
    await expectSameError(name, endpoint, input, { as: 'anonymous' })
    if (endpoint.scope !== null || endpoint.caller === 'user')
      await expectSameError(name, endpoint, input, { as: { authorization: `api-key ${narrow.key}` } })
    if (pathParameters(endpoint.path).length > 0)
      await expectSameError(name, endpoint, { ...input, workspace: 'nowhere' })
  })

  const closedQueries = all.filter(([, { takesQuery }]) => takesQuery === undefined)
  test.for(turnOf(15, closedQueries))('%s: parameters', async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    await expectSameError(name, endpoint, input, { query: { bogus: 'x' } })
    await expectSameError(name, endpoint, input, { query: { bogus: 'x', sillent: 'y' } })
    if (hasParameter(endpoint, 'page')) await expectSameError(name, endpoint, { ...input, page: { limit: 0 } })
    if (hasParameter(endpoint, 'page')) await expectSameError(name, endpoint, { ...input, page: { bogus: 'x' } })
    if (hasParameter(endpoint, 'sortOrder'))
      await expectSameError(name, endpoint, { ...input, sortOrder: { column: 'nothing', dir: 'ASC' } })
    if (hasParameter(endpoint, 'filter')) await expectSameError(name, endpoint, { ...input, filter: { nothing: 'x' } })
    if (filtersByField(endpoint))
      await expectSameError(name, endpoint, { ...input, filter: { job_title: { Resembles: 'x' } } })
  })

  test.for(
    turnOf(
      16,
      select(({ path }) => pathParameters(path).length > 1),
    ),
  )('%s: what does not exist', async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    const last = pathParameters(endpoint.path).at(-1) as string
    for (const wrong of ['nothing', '019b2f6e-7a00-7000-8000-00000000dead'])
      await expectSameError(name, endpoint, { ...input, [last]: wrong })
  })

  test.for(turnOf(17, withShapedBody))('%s: bodies', async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    for (const { body, pointer } of bodyFaults(endpoint.body!, input['body']))
      if (pointer !== '') await expectSameError(name, endpoint, { ...input, body })
    const { body: _body, ...without } = input
    if (!endpoint.body!.safeParse(undefined).success) await expectSameError(name, endpoint, without)
    await expectSameError(name, endpoint, { ...without, body: null })
  })
})

test('actions answer what the procedures of tRPC are called, and nothing else', async () => {
  for (const [name] of closed)
    expect((await actions(app, name, all[0]![1], {}, { as: 'anonymous' })).status, name).toBe(401)
  expect((await actions(app, 'records.creat', all[0]![1], {})).body.errors[0].detail).toContain('records.create')
  expect(Object.keys(surfaces)).toHaveLength(3)
})

import { describe, expect, test } from 'vitest'
import { isMutation, pathParameters, personalScopes, roleOf, scopes, type Endpoint } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { turnOf } from '../harness/size.ts'
import { exampleInput, leastScopeOf, namesObject, select, workspaced } from './endpoints.ts'
import { expectError, expectSuccess } from './expect.ts'
import { rest, surfaces } from './surfaces.ts'

const app = await startApp()
const { api } = app

const keyWith = async (...wanted: string[]): Promise<Caller> => ({
  authorization: `api-key ${(await createKey(api.post, 'admin', { scopes: wanted })).key}`,
})
const tokenWith = async (...wanted: string[]): Promise<Caller> => ({
  authorization: `Bearer ${(await app.issuer.mint(app.userIds.admin, wanted)).access_token}`,
})

/** Scopes that examples need beside their own which lead from a person to deals or to a company. */
const otherEnds: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['replace', 'add', 'remove'].map((key) => [`relationships.${key}`, 'records:write:deal'])),
  'relationships.list': 'records:read:deal',
  'lists.exportRows': 'records:read:company',
  'resources.create': 'records:read:company',
  'webhooks.create': 'records:read:deal',
}

/** A scope that opens other endpoints. */
const otherThan = ({ scope }: Endpoint): string => (scope === 'comments:read' ? 'lists:read' : 'comments:read')

const withoutId = (body: Json) => body.errors.map(({ id: _id, ...error }: Json) => error)

describe('scopes', () => {
  const scoped = select(({ scope }) => scope !== null)

  test.for(turnOf(3, scoped))(
    '%s needs its scope, with a key and with a token, on every surface',
    async ([name, endpoint]) => {
      const input = await exampleInput(app, name, endpoint)
      const others = [await keyWith(otherThan(endpoint)), await tokenWith('openid', otherThan(endpoint))]
      await app.events()
      for (const as of others) {
        for (const surface of Object.values(surfaces)) {
          const outcome = await surface(app, name, endpoint, input, { as })
          expectError(endpoint, outcome, 'insufficient_scope')
          expect(outcome.body.errors[0].meta).toMatchObject({ required: leastScopeOf(endpoint, input) })
        }
      }
      expect(await app.events()).toEqual([])
      const { scope, recordScope } = endpoint
      if (recordScope !== undefined) {
        const outcome = await rest(app, name, endpoint, input, {
          as: await keyWith(otherThan(endpoint), scope as string),
        })
        expectError(endpoint, outcome, 'insufficient_scope')
        expect(outcome.body.errors[0].meta.required).toContain(recordScope)
      }
      expectSuccess(
        endpoint,
        await rest(app, name, endpoint, input, {
          as: await keyWith(
            otherThan(endpoint),
            scope as string,
            recordScope ?? otherEnds[name] ?? otherThan(endpoint),
          ),
        }),
      )
    },
  )

  test('that are known are those that some endpoint asks for', () => {
    const asked = new Set(
      select(() => true)
        .flatMap(([, { scope, openToApps }]) => [scope, openToApps])
        .filter((scope) => typeof scope === 'string'),
    )
    expect([...scopes, ...personalScopes].toSorted()).toEqual([...asked].toSorted())
  })

  test.for(turnOf(4, select(namesObject)))(
    '%s: a scope narrowed to one object opens that object alone',
    async ([name, endpoint]) => {
      const input = await exampleInput(app, name, endpoint)
      const outcome = await rest(app, name, endpoint, input, { as: await keyWith(`${endpoint.scope}:company`) })
      expectError(endpoint, outcome, 'insufficient_scope')
      expect(outcome.body.errors[0].meta).toMatchObject({ required: leastScopeOf(endpoint, input) })
      const people = await keyWith(`${endpoint.scope}:person`)
      for (const surface of Object.values(surfaces))
        expectError(
          endpoint,
          await surface(app, name, endpoint, { ...input, object: 'company' }, { as: people }),
          'insufficient_scope',
        )
      const beside = endpoint.recordScope === undefined ? otherEnds[name] : `${endpoint.recordScope}:person`
      const all = beside === undefined ? people : await keyWith(`${endpoint.scope}:person`, beside)
      expectSuccess(endpoint, await rest(app, name, endpoint, input, { as: all }))
    },
  )

  test.for(turnOf(5, scoped))('%s: the identity scopes of a token narrow nothing', async ([name, endpoint]) => {
    expectSuccess(
      endpoint,
      await rest(app, name, endpoint, await exampleInput(app, name, endpoint), {
        as: await tokenWith('openid', 'profile', 'email', 'offline_access'),
      }),
    )
  })
})

describe('roles', () => {
  test.for(turnOf(6, workspaced))('%s asks for its role', async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    await app.events()
    const needed = roleOf(endpoint)
    // Every member has keys of their own (spec §5), and is notified; apps, and an address that is a credential, are for
    // admins.
    if (!/\/(api-keys|apps|notifications|emails\/inbound$)/.test(endpoint.path))
      expect(needed === 'viewer').toBe(!isMutation(endpoint))
    for (const surface of Object.values(surfaces)) {
      if (needed !== 'viewer')
        expectError(endpoint, await surface(app, name, endpoint, input, { as: 'viewer' }), 'forbidden')
      if (needed === 'admin')
        expectError(endpoint, await surface(app, name, endpoint, input, { as: 'member' }), 'forbidden')
    }
    expect(await app.events()).toEqual([])
    const isOwn = [
      '/api-keys/{id}',
      '/requests/{key}',
      '/webhooks/{id}',
      '/workflows/{id}/runs',
      '/workflows/{id}/address',
      '/workflow-runs/{id}',
      '/agents/{agentId}/runs',
      '/agents/{agentId}/address',
      '/emails/{id}',
    ].some((own) => endpoint.path.includes(own))
    if (needed === 'viewer' && !isOwn) expectSuccess(endpoint, await rest(app, name, endpoint, input, { as: 'viewer' }))
  })
})

describe('other workspaces', () => {
  test.for(turnOf(7, workspaced))(
    '%s: a foreign workspace answers as one that does not exist',
    async ([name, endpoint]) => {
      const input = await exampleInput(app, name, endpoint)
      await app.events()
      for (const surface of Object.values(surfaces)) {
        const unknown = await surface(app, name, endpoint, { ...input, workspace: 'nowhere' })
        expectError(endpoint, unknown, 'not_found')
        const strangers: Caller[] = endpoint.caller === 'user' ? ['stranger'] : ['stranger', 'strangerKey']
        for (const as of strangers) {
          const foreign = await surface(app, name, endpoint, input, { as })
          expectError(endpoint, foreign, 'not_found')
          expect(withoutId(foreign.body)).toEqual(withoutId(unknown.body))
        }
      }
      expect(await app.events()).toEqual([])
    },
  )

  test.for(turnOf(8, workspaced))(
    '%s: a foreign workspace is told before scope, role and everything in the call',
    async ([name, endpoint]) => {
      const input = { ...(await exampleInput(app, name, endpoint)), workspace: 'other', body: 'wrong' }
      expectError(endpoint, await rest(app, name, endpoint, input, { as: 'viewer', query: { bogus: 1 } }), 'not_found')
      if (endpoint.caller !== 'user')
        expectError(
          endpoint,
          await rest(app, name, endpoint, input, { as: await keyWith(otherThan(endpoint)) }),
          'not_found',
        )
    },
  )

  test.for(
    turnOf(
      9,
      select(({ path }) => pathParameters(path).length > 1),
    ),
  )('%s: an id of another workspace, an unknown one and none at all answer alike', async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    const foreignPerson = { data: { type: 'person', attributes: { job_title: 'Stranger' } } }
    const { id: foreign } = (
      await api.post('/workspaces/other/objects/person/records', { as: 'stranger', body: foreignPerson })
    ).body.data
    await app.events()
    const last = pathParameters(endpoint.path).at(-1) as string
    for (const wrong of [
      foreign,
      '019b2f6e-7a00-7000-8000-00000000dead',
      'nothing',
      foreign.toUpperCase(),
      '%00',
      '..',
      ' ',
    ]) {
      for (const surface of Object.values(surfaces))
        expectError(endpoint, await surface(app, name, endpoint, { ...input, [last]: wrong }), 'not_found')
    }
    expect(await app.events()).toEqual([])
  })
})

import { describe, expect, test } from 'vitest'
import * as oauth from 'openid-client'
import { startApp } from '../harness/app.ts'
import { grantOf } from '../harness/grants.ts'
import { connect } from '../harness/oauth.ts'
import type { Person } from '../harness/people.ts'

const app = await startApp()
const third = await app.oauth.register()

/** Connects the app for a person and a scope; returns its credentials. */
async function appOf(person: Person, scope: string) {
  const { access_token: token } = await connect(third, await app.oauth.visitor(person), scope)
  return { authorization: `Bearer ${token}` }
}

const people = '/workspaces/acme/objects/person/records'
const newPerson = { data: { type: 'person', attributes: { name: { first_name: 'Grace', last_name: 'Hopper' } } } }

type Refusal = { readonly status: number; readonly code: string; readonly meta: unknown }
const refusalOf = ({ status, body }: Awaited<ReturnType<typeof app.api.get>>): Refusal => ({
  status,
  code: body.errors[0].code,
  meta: body.errors[0].meta,
})

describe('an app does what it has a scope for', () => {
  test('and nothing else', async () => {
    const as = await appOf('member', 'records:read')
    expect((await app.api.get('/workspaces/acme/objects/person/resources', { as })).status).toBe(200)
    expect(refusalOf(await app.api.post(people, { as, body: newPerson }))).toEqual({
      status: 403,
      code: 'insufficient_scope',
      meta: { required: 'records:write:person', object: 'person', granted: ['records:read'] },
    })
    expect(refusalOf(await app.api.get('/workspaces/acme/schemas', { as }))).toMatchObject({
      status: 403,
      code: 'insufficient_scope',
    })
  })

  test('for one object, where it asked for that', async () => {
    const as = await appOf('member', 'openid records:read:person')
    expect((await app.api.get('/workspaces/acme/objects/person/resources', { as })).status).toBe(200)
    expect(refusalOf(await app.api.get('/workspaces/acme/objects/company/resources', { as }))).toMatchObject({
      status: 403,
      code: 'insufficient_scope',
    })
  })

  test('where the person may', async () => {
    const as = await appOf('viewer', 'records:read records:write')
    expect((await app.api.get('/workspaces/acme/objects/person/resources', { as })).status).toBe(200)
    expect(refusalOf(await app.api.post(people, { as, body: newPerson }))).toMatchObject({
      status: 403,
      code: 'forbidden',
    })
    expect(refusalOf(await app.api.get('/workspaces/other/objects/person/resources', { as }))).toMatchObject({
      status: 404,
      code: 'not_found',
    })
  })

  test('and sees what was shared with the person, until it is not any more', async () => {
    const [owners, viewers] = [await appOf('member', 'records:read'), await appOf('viewer', 'records:read')]
    const { body } = await app.api.post('/workspaces/acme/objects/meeting/records', {
      as: 'member',
      body: { data: { type: 'meeting', attributes: { title: 'Budget' } } },
    })
    const path = `/workspaces/acme/objects/meeting/records/${body.data.id}`
    const seen = async () => [
      (await app.api.get(path, { as: owners })).status,
      (await app.api.get(path, { as: viewers })).status,
    ]
    expect(await seen()).toEqual([200, 404])
    const { body: grant } = await app.api.post(`${path}/access`, {
      as: 'member',
      body: { data: grantOf(app.userIds.viewer, 'view') },
    })
    expect(await seen()).toEqual([200, 200])
    expect(
      (await app.api.get('/workspaces/acme/objects/meeting/resources', { as: viewers })).body.meta.total_records,
    ).toBe(1)
    await app.api.delete(`${path}/access/${grant.data.id}`, { as: 'member' })
    expect(await seen()).toEqual([200, 404])
  })

  test('and is named as the source of what it does', async () => {
    const as = await appOf('member', 'records:read records:write')
    const { body } = await app.api.post(people, { as, body: newPerson })
    const { body: feed } = await app.api.get(`/workspaces/acme/objects/person/records/${body.data.id}/activities`, {
      as,
    })
    expect(feed.data[0].attributes.data[0].actor).toEqual({
      _id: app.userIds.member,
      anonymous_id: null,
      entity: 'user',
      source_id: third.clientId,
    })
  })
})

describe('an app that only signs people in', () => {
  test('learns who they are', async () => {
    const { access_token: token } = await connect(
      await app.oauth.register({ scopes: ['openid'] }),
      await app.oauth.visitor('admin'),
      'openid',
    )
    expect(await oauth.fetchUserInfo(third.config, token, app.userIds.admin)).toEqual({ sub: app.userIds.admin })
  })

  test('gets nothing of the API', async () => {
    const signsIn = await app.oauth.register({ scopes: ['openid'] })
    const { access_token: token } = await connect(
      signsIn,
      await app.oauth.visitor('admin'),
      'openid profile email offline_access',
    )
    const as = { authorization: `Bearer ${token}` }
    for (const path of [
      '/workspaces',
      '/workspaces/acme/objects/person/resources',
      '/workspaces/acme/limits',
      '/workspaces/acme/api-keys',
      '/workspaces/acme/users',
    ]) {
      expect(refusalOf(await app.api.get(path, { as })), path).toMatchObject({
        status: 403,
        code: 'insufficient_scope',
      })
    }
  })
})

describe('what outlives a consent is for the person alone', () => {
  const everything =
    'openid profile email offline_access records:read records:write records:delete schemas:read ' +
    'schemas:write members:read access:read access:write'

  test('an app makes, sees and changes no keys', async () => {
    const as = await appOf('admin', everything)
    const { body } = await app.api.get('/workspaces/acme/api-keys')
    const [{ id }] = body.data
    const attributes = { name: 'Back door', scopes: ['records:read'] }
    const answers = [
      await app.api.post('/workspaces/acme/api-keys', { as, body: { data: { type: 'api-key', attributes } } }),
      await app.api.get('/workspaces/acme/api-keys', { as }),
      await app.api.get(`/workspaces/acme/api-keys/${id}`, { as }),
      await app.api.patch(`/workspaces/acme/api-keys/${id}`, {
        as,
        body: { data: { type: 'api-key', attributes: { name: 'Mine' } } },
      }),
      await app.api.post(`/workspaces/acme/api-keys/${id}/rotate`, { as, body: {} }),
      await app.api.delete(`/workspaces/acme/api-keys/${id}`, { as }),
      await app.api.patch('/workspaces/acme', {
        as,
        body: { data: { type: 'workspace', attributes: { name: 'Theirs' } } },
      }),
    ]
    expect(answers.map(refusalOf)).toEqual(
      answers.map((_answer, turn) => ({
        status: 403,
        code: 'insufficient_scope',
        meta: { required: turn < 6 ? 'keys:write' : 'workspaces:write', granted: expect.any(Array) },
      })),
    )
    expect((await app.api.get('/workspaces/acme/api-keys')).body.data).toEqual(body.data)
  })

  test('an app finds the workspaces, the limits, and what became of a change', async () => {
    const as = await appOf('member', 'records:write')
    expect((await app.api.get('/workspaces', { as })).body.data).toHaveLength(1)
    expect((await app.api.get('/workspaces/acme/limits', { as })).status).toBe(200)
    await app.api.post(people, { as, body: newPerson, headers: { 'Idempotency-Key': 'one' } })
    expect((await app.api.get('/workspaces/acme/requests/one', { as })).status).toBe(200)
  })

  test('the same holds over tRPC', async () => {
    const { authorization } = await appOf('admin', everything)
    const { body } = await app.http.send({
      method: 'GET',
      url: `${app.origin}/trpc/apiKeys.list?input=${encodeURIComponent(JSON.stringify({ workspace: 'acme' }))}`,
      headers: { Authorization: authorization },
    })
    expect(JSON.stringify(body)).toContain('insufficient_scope')
  })
})

test('userinfo wants a token that knows who signed in', async () => {
  const as = await appOf('member', 'records:read')
  const ask = (authorization?: string) =>
    app.http.send({
      method: 'GET',
      url: `${app.origin}/oauth2/userinfo`,
      headers: authorization === undefined ? {} : { Authorization: authorization },
    })
  expect(await ask(as.authorization)).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } })
  expect(await ask(`Bearer ${app.credentials.cast.tokens.member}`)).toMatchObject({
    status: 403,
    body: { error: 'insufficient_scope' },
  })
  expect(await ask('Bearer nonsense')).toMatchObject({
    status: 401,
    body: { error: 'invalid_token' },
    headers: { 'www-authenticate': expect.stringContaining('error="invalid_token"') },
  })
  expect(await ask()).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
})

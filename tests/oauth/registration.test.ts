import * as oauth from 'openid-client'
import { describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { ask, connect, type ThirdParty } from '../harness/oauth.ts'

const app = await startApp({ oauthRegistrationsPerHour: 100 })
const redirectUri = 'https://agent.example.com/callback'

const register = (body: Json, at: TestApp = app, headers: Record<string, string> = {}) =>
  at.http.send({
    method: 'POST',
    url: `${at.origin}/oauth2/register`,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const announced = async ({ http, origin }: TestApp): Promise<Json> =>
  (await http.send({ method: 'GET', url: `${origin}/.well-known/openid-configuration` })).body

/** Registers an app by the certified client, as one that knows nothing but the address of the server. */
async function registered(metadata: Partial<oauth.ClientMetadata> = {}): Promise<ThirdParty> {
  const config = await oauth.dynamicClientRegistration(
    new URL(app.origin),
    { redirect_uris: [redirectUri], client_name: 'Agent', token_endpoint_auth_method: 'none', ...metadata },
    undefined,
    { execute: [oauth.allowInsecureRequests] },
  )
  const { client_id: clientId } = config.clientMetadata()
  return { clientId, secret: undefined, config, redirectUri }
}

describe('an app that registers itself', () => {
  test('is let in by a person, who reads that it has named itself', async () => {
    const third = await registered()
    const visitor = await app.oauth.visitor('member')
    const page = await visitor.open((await ask(third, 'openid records:read')).url)
    expect(page.text).toContain('registered itself')
    expect(page.text).toContain('agent.example.com')
    const { access_token } = await connect(third, visitor, 'openid records:read')
    const path = '/workspaces/acme/objects/person/resources'
    expect((await app.api.get(path, { as: { authorization: `Bearer ${access_token}` } })).status).toBe(200)
  })

  test('gets a secret once if it can keep one, and is told what was registered', async () => {
    const { status, body, headers } = await register({
      redirect_uris: [redirectUri, redirectUri],
      logo_uri: 'https://agent.example.com/logo.png',
      scope: 'records:read comments:read',
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      client_id: expect.any(String),
      client_id_issued_at: expect.any(Number),
      client_secret: expect.stringMatching(/^kcs_/),
      client_secret_expires_at: 0,
      client_name: 'An app without a name',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      scope: 'records:read comments:read',
    })
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(await app.oauth.stored()).not.toContain(body.client_secret)
  })

  test('asks for no more than it registered for', async () => {
    const third = await registered({ scope: 'records:read' })
    const visitor = await app.oauth.visitor('member')
    const { location } = await visitor.open((await ask(third, 'openid records:write')).url)
    expect(location).toContain('error=invalid_scope')
  })

  test('is forgotten after a week in which no person has let it in; one that was let in stays', async () => {
    const own = await startApp({ oauthRegistrationsPerHour: 10 })
    const [used, unused] = [
      await register({ redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }, own),
      await register({ redirect_uris: [redirectUri] }, own),
    ].map(({ body }) => body.client_id as string)
    const operators = await own.oauth.register()
    const config = await oauth.discovery(new URL(own.origin), used ?? '', undefined, oauth.None(), {
      execute: [oauth.allowInsecureRequests],
    })
    const visitor = await own.oauth.visitor('member')
    await connect({ clientId: used ?? '', secret: undefined, config, redirectUri }, visitor, 'openid')
    await own.advance(8 * 86_400_000)
    await own.startJobs()
    await expect.poll(() => own.oauth.stored()).not.toContain(unused)
    expect(await own.oauth.stored()).toContain(used)
    expect(await own.oauth.stored()).toContain(operators.clientId)
  })
})

describe('a registration is refused', () => {
  test.for<[string, Json, string]>([
    ['without redirect URIs', {}, 'invalid_redirect_uri'],
    ['with none', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['with one of http', { redirect_uris: ['http://agent.example.com/'] }, 'invalid_redirect_uri'],
    ['with a script for one', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['with a scheme of its own and a secret', { redirect_uris: ['com.example.app:/x'] }, 'invalid_redirect_uri'],
    ['as a list', [], 'invalid_client_metadata'],
    ['without a body', '', 'invalid_client_metadata'],
    ['for other grants', { redirect_uris: [redirectUri], grant_types: ['implicit'] }, 'invalid_client_metadata'],
    [
      'for tokens in the address',
      { redirect_uris: [redirectUri], response_types: ['token'] },
      'invalid_client_metadata',
    ],
    ['for a scope that there is not', { redirect_uris: [redirectUri], scope: 'all' }, 'invalid_client_metadata'],
    ['for inviting members', { redirect_uris: [redirectUri], scope: 'members:write' }, 'invalid_client_metadata'],
    ['for making API keys', { redirect_uris: [redirectUri], scope: 'keys:write' }, 'invalid_client_metadata'],
    [
      'under too long a name',
      { redirect_uris: [redirectUri], client_name: 'x'.repeat(101) },
      'invalid_client_metadata',
    ],
    [
      'under a name that reads backwards',
      { redirect_uris: [redirectUri], client_name: 'sys\u202egnp' },
      'invalid_client_metadata',
    ],
    ['as no JSON', '{', 'invalid_request'],
  ])('%s', async ([, body, error]) => {
    const before = await app.oauth.stored()
    const answer = await register(body)
    expect([answer.status, answer.body.error]).toEqual([400, error])
    expect(answer.body.error_description).not.toBe('')
    expect(await app.oauth.stored()).toBe(before)
  })

  test('where the operator has not switched it on, and it is not announced there', async () => {
    const closed = await startApp()
    const { status, body } = await register({ redirect_uris: [redirectUri] }, closed)
    expect([status, body.error]).toEqual([404, 'invalid_request'])
    expect(await announced(closed)).not.toHaveProperty('registration_endpoint')
    expect((await announced(app)).registration_endpoint).toBe(`${app.origin}/oauth2/register`)
  })

  test('once there were too many from one address', async () => {
    const limited = await startApp({ oauthRegistrationsPerHour: 2, standingStill: true })
    for (const status of [201, 201, 429])
      expect((await register({ redirect_uris: [redirectUri] }, limited)).status).toBe(status)
    limited.wait(1_800_000)
    expect((await register({ redirect_uris: [redirectUri] }, limited)).status).toBe(201)
  })
})

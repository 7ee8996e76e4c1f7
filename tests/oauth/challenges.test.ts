import { expect, test } from 'vitest'
import * as oauth from 'openid-client'
import { startApp } from '../harness/app.ts'
import { connect } from '../harness/oauth.ts'
import { createKey } from '../harness/people.ts'

const app = await startApp()
const metadataUrl = `${app.origin}/.well-known/oauth-protected-resource/v1`
const named = `resource_metadata="${metadataUrl}"`

const surfaces = [
  ['REST', 'GET', '/v1/workspaces/acme/objects/company/resources'],
  ['tRPC', 'GET', `/trpc/resources.list?input=${encodeURIComponent('{"workspace":"acme","object":"company"}')}`],
  ['actions', 'POST', '/actions/resources.list'],
] as const

/** The answer of one surface to a credential, and its challenge. */
async function challengeOf([, method, path]: (typeof surfaces)[number], authorization?: string) {
  const { status, headers } = await app.http.send({
    method,
    url: app.origin + path,
    headers: {
      'Content-Type': 'application/json',
      ...(authorization !== undefined && { Authorization: authorization }),
    },
    body: method === 'POST' ? '{"workspace":"acme","object":"company"}' : undefined,
  })
  return [status, headers['www-authenticate']]
}

test.for(surfaces)('%s tells who sends no credential where tokens are made', async (surface) => {
  const plain = `Bearer realm="kontor", ${named}, api-key realm="kontor"`
  expect(await challengeOf(surface)).toEqual([401, plain])
  expect(await challengeOf(surface, 'api-key kp_made-up')).toEqual([401, plain])
})

test.for(surfaces)('%s says that a token is not valid', async (surface) => {
  const wrong = `Bearer realm="kontor", error="invalid_token", ${named}, api-key realm="kontor"`
  expect(await challengeOf(surface, 'Bearer made-up')).toEqual([401, wrong])
})

test.for(surfaces)('%s names the scope that a token lacks, and to an app alone', async (surface) => {
  const third = await app.oauth.register()
  const { access_token } = await connect(third, await app.oauth.visitor('member'), 'records:read:person')
  const missing = `Bearer realm="kontor", error="insufficient_scope", scope="records:read:company", ${named}`
  expect(await challengeOf(surface, `Bearer ${access_token}`)).toEqual([403, missing])
  const { key } = await createKey(app.api.post, 'admin', { scopes: ['comments:read'] })
  expect(await challengeOf(surface, `api-key ${key}`)).toEqual([403, undefined])
})

test('where no single scope would help, none is named', async () => {
  const { access_token } = await connect(await app.oauth.register(), await app.oauth.visitor('admin'), 'openid nothing')
  const { status, body, headers } = await app.api.get('/workspaces/acme/limits', {
    as: { authorization: `Bearer ${access_token}` },
  })
  expect([status, body.errors[0].meta.required]).toEqual([403, null])
  expect(headers['www-authenticate']).toBeUndefined()
})

test('a client that knows an address of the API alone finds its way to a token (RFC 9728 §5)', async () => {
  const { headers } = await app.http.send({ method: 'GET', url: `${app.baseUrl}/workspaces` })
  const [, url = ''] = /resource_metadata="([^"]+)"/.exec(headers['www-authenticate'] ?? '') ?? []
  const { body } = await app.http.send({ method: 'GET', url })
  expect(body.resource).toBe(app.baseUrl)
  const found = await oauth.discovery(new URL(body.authorization_servers[0]), 'x', undefined, undefined, {
    execute: [oauth.allowInsecureRequests],
  })
  expect(found.serverMetadata().token_endpoint).toBe(`${app.origin}/oauth2/token`)
})

import * as oauth from 'openid-client'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { connect } from '../harness/oauth.ts'

const app = await startApp()
const scope = 'openid offline_access records:read'

test('an app learns what its access token opens, and that it does no more once it was revoked', async () => {
  const third = await app.oauth.register()
  const { access_token } = await connect(third, await app.oauth.visitor('member'), scope)
  const told = await oauth.tokenIntrospection(third.config, access_token)
  expect(told).toEqual({
    active: true,
    token_type: 'Bearer',
    client_id: third.clientId,
    iss: app.origin,
    sub: app.userIds.member,
    scope: 'openid offline_access records:read',
    aud: app.baseUrl,
    iat: expect.any(Number),
    exp: Number(told.iat) + 3600,
  })
  await oauth.tokenRevocation(third.config, access_token)
  expect(await oauth.tokenIntrospection(third.config, access_token)).toEqual({ active: false })
})

test('of its refresh token too', async () => {
  const third = await app.oauth.register()
  const { refresh_token = '' } = await connect(third, await app.oauth.visitor('member'), scope)
  expect(await oauth.tokenIntrospection(third.config, refresh_token)).toMatchObject({
    active: true,
    client_id: third.clientId,
    sub: app.userIds.member,
  })
  await app.oauth.revokeApp('member', third.clientId)
  expect(await oauth.tokenIntrospection(third.config, refresh_token)).toEqual({ active: false })
})

test('of what is over, made up, or given to another app it learns nothing', async () => {
  const [third, other] = [await app.oauth.register(), await app.oauth.register()]
  const tokens = await connect(other, await app.oauth.visitor('member'), scope)
  for (const token of [tokens.access_token, tokens.refresh_token ?? '', 'x', 'a.b.c', `${tokens.access_token}x`])
    expect(await oauth.tokenIntrospection(third.config, token)).toEqual({ active: false })
})

test('without its secret an app learns nothing', async () => {
  const third = await app.oauth.register()
  const { access_token } = await connect(third, await app.oauth.visitor('member'), scope)
  const config = new oauth.Configuration(
    third.config.serverMetadata(),
    third.clientId,
    undefined,
    oauth.ClientSecretBasic('guess'),
  )
  oauth.allowInsecureRequests(config)
  await expect(oauth.tokenIntrospection(config, access_token)).rejects.toMatchObject({ status: 401 })
})

test('the API says who makes tokens for it (RFC 9728)', async () => {
  const url = `${app.origin}/.well-known/oauth-protected-resource/v1`
  const { status, body, headers } = await app.http.send({ method: 'GET', url })
  expect([status, headers['access-control-allow-origin']]).toEqual([200, '*'])
  expect(body).toMatchObject({
    resource: app.baseUrl,
    authorization_servers: [app.origin],
    bearer_methods_supported: ['header'],
  })
  expect(body.scopes_supported).toContain('records:read')
  const [issuer] = body.authorization_servers
  const found = await oauth.discovery(new URL(issuer), 'x', undefined, undefined, {
    execute: [oauth.allowInsecureRequests],
  })
  expect(found.serverMetadata().introspection_endpoint).toBe(`${app.origin}/oauth2/introspect`)
})

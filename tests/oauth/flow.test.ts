import { createHash } from 'node:crypto'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import * as oauth from 'openid-client'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { allow, ask, connect, redeem, type ThirdParty } from '../harness/oauth.ts'

const app = await startApp()
const visitor = await app.oauth.visitor('member')
const everything = 'openid profile email offline_access records:read'

const peopleOf = (accessToken: string) =>
  app.api.get('/workspaces/acme/objects/person/resources', { as: { authorization: `Bearer ${accessToken}` } })

describe('an app gets what a person lets it have', () => {
  const kinds: [string, () => Promise<ThirdParty>][] = [
    ['on a server, with its secret in a header', () => app.oauth.register()],
    [
      'on a server, with its secret in the body',
      async () => {
        const third = await app.oauth.register()
        const config = new oauth.Configuration(
          third.config.serverMetadata(),
          third.clientId,
          undefined,
          oauth.ClientSecretPost(third.secret),
        )
        oauth.allowInsecureRequests(config)
        return { ...third, config }
      },
    ],
    ['in a browser, without a secret', () => app.oauth.register({ type: 'public' })],
    [
      'on a device, at whichever port is free',
      async () => ({
        ...(await app.oauth.register({ type: 'public', redirectUris: ['http://127.0.0.1/callback'] })),
        redirectUri: 'http://127.0.0.1:51234/callback',
      }),
    ],
    [
      'on a device, by a scheme of its own',
      () => app.oauth.register({ type: 'public', redirectUris: ['com.example.desk:/callback'] }),
    ],
  ]
  test.for(kinds)('%s', async ([, register]) => {
    const third = await register()
    const asked = await ask(third, everything)
    const page = await visitor.open(asked.url)
    expect(page.text).toContain('Allow Mail Merge to access your account?')
    const tokens = await redeem(third, asked, await allow(visitor, page))
    expect(tokens).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      scope: everything,
      refresh_token: expect.any(String),
    })
    expect(tokens.claims()).toMatchObject({
      sub: app.userIds.member,
      aud: third.clientId,
      iss: app.origin,
      name: 'Max Member',
      email: 'member@example.com',
    })
    expect((await peopleOf(tokens.access_token)).status).toBe(200)
    expect(
      (await app.api.get('/workspaces', { as: { authorization: `Bearer ${tokens.access_token}` } })).body.data,
    ).toHaveLength(1)
    const person = await oauth.fetchUserInfo(third.config, tokens.access_token, app.userIds.member)
    expect(person).toEqual({ sub: app.userIds.member, name: 'Max Member', email: 'member@example.com' })
  })

  test('and tells others by its keys whom a token is of', async () => {
    const third = await app.oauth.register()
    const { access_token: token } = await connect(third, visitor, 'openid records:read')
    const keys = createRemoteJWKSet(new URL(third.config.serverMetadata().jwks_uri as string))
    const { payload } = await jwtVerify(token, keys, {
      issuer: app.origin,
      audience: app.baseUrl,
      typ: 'at+jwt',
      algorithms: ['ES256'],
    })
    expect(payload).toMatchObject({
      sub: app.userIds.member,
      client_id: third.clientId,
      scope: 'openid records:read',
      grant: expect.any(String),
    })
    expect((payload.exp as number) - (payload.iat as number)).toBe(3600)
  })

  test('for the API as a named resource, and for no other', async () => {
    const third = await app.oauth.register()
    const tokens = await connect(third, visitor, 'records:read', { resource: app.baseUrl })
    expect((await peopleOf(tokens.access_token)).status).toBe(200)
    const elsewhere = new URL(
      (await visitor.open((await ask(third, 'records:read', { resource: 'https://other.example.com/' })).url))
        .location as string,
    )
    expect(elsewhere.searchParams.get('error')).toBe('invalid_target')
  })

  test('without a refresh token, where it did not ask to stay', async () => {
    const third = await app.oauth.register()
    expect(await connect(third, visitor, 'openid records:read')).not.toHaveProperty('refresh_token')
  })

  test('without what means nothing here', async () => {
    const third = await app.oauth.register()
    expect((await connect(third, visitor, 'openid address records:read records:fly constructor')).scope).toBe(
      'openid records:read',
    )
  })
})

describe('what is told of the endpoints', () => {
  const paths = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']
  test.for(paths)('%s agrees with the document of the API', async (path) => {
    const { status, body } = await app.http.send({ method: 'GET', url: app.origin + path })
    const { body: document } = await app.http.send({ method: 'GET', url: `${app.baseUrl}/openapi.json` })
    const { flows } = document.components.securitySchemes.oauth
    expect(status).toBe(200)
    expect(flows.authorizationCode).toMatchObject({
      authorizationUrl: body.authorization_endpoint,
      tokenUrl: body.token_endpoint,
      refreshUrl: body.token_endpoint,
    })
    expect(body.scopes_supported).toEqual(Object.keys(flows.authorizationCode.scopes))
    expect(body).toMatchObject({
      issuer: app.origin,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      userinfo_endpoint: `${app.origin}/oauth2/userinfo`,
      revocation_endpoint: `${app.origin}/oauth2/revoke`,
    })
  })

  test('is told at AUTH_URL, whatever host was asked', async () => {
    const { body } = await app.http.send({
      method: 'GET',
      url: `${app.origin}${paths[0]}`,
      headers: { Host: 'evil.example.com', 'X-Forwarded-Host': 'evil.example.com', 'X-Forwarded-Proto': 'https' },
    })
    expect(JSON.stringify(body)).not.toContain('evil')
    expect(body.token_endpoint).toBe(`${app.origin}/oauth2/token`)
  })

  test('the keys hold no secret', async () => {
    const { body } = await app.http.send({ method: 'GET', url: `${app.origin}/oauth2/jwks` })
    expect(body.keys.map((key: object) => Object.keys(key).toSorted())).toEqual(
      body.keys.map(() => ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']),
    )
  })
})

test('an ID token opens nothing', async () => {
  const third = await app.oauth.register()
  const { id_token: idToken = '' } = await connect(third, visitor, 'openid records:read')
  expect(decodeProtectedHeader(idToken).alg).toBe('ES256')
  expect((await peopleOf(idToken)).body.errors[0].code).toBe('unauthenticated')
})

test('the database holds nothing that opens anything', async () => {
  const third = await app.oauth.register()
  const asked = await ask(third, everything)
  const page = await visitor.open(asked.url)
  const returned = await allow(visitor, page)
  const tokens = await redeem(third, asked, returned)
  const rows = await app.oauth.stored()
  const code = new URL(returned).searchParams.get('code') as string
  for (const secret of [code, tokens.refresh_token, third.secret]) expect(rows).not.toContain(secret)
  expect(rows).toContain(createHash('sha256').update(code).digest('base64url'))
})

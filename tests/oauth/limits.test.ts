import * as oauth from 'openid-client'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { ask, connect } from '../harness/oauth.ts'

const app = await startApp({ corsOrigins: ['https://desk.example.com'] })
const open = await app.oauth.register({ type: 'public', redirectUris: ['https://spa.example.com/callback'] })
const confidential = await app.oauth.register()

type Headers = Readonly<Record<string, string>>
const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
const token = (at: typeof app, fields: Headers, headers: Headers = {}) =>
  at.http.send({
    method: 'POST',
    url: `${at.origin}/oauth2/token`,
    headers: { ...form, ...headers },
    body: new URLSearchParams(fields).toString(),
  })
const allowed = async (answer: ReturnType<typeof token>) => (await answer).headers['access-control-allow-origin']
const wrong = (clientId: string) => ({ grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId })

const basic = (clientId: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
})

describe('guessing at the token endpoint', () => {
  test('is slowed down for each app at each address, in the words of OAuth', async () => {
    const limited = await startApp({ signInsPerMinute: 10, standingStill: true })
    const { clientId, secret = '' } = await limited.oauth.register()
    const guess = (path: string) =>
      limited.http.send({
        method: 'POST',
        url: `${limited.origin}${path}`,
        headers: { ...form, ...basic(clientId, 'guess') },
        body: 'grant_type=refresh_token&refresh_token=x&token=x',
      })
    for (let tries = 0; tries < 10; tries++)
      expect((await guess(tries % 2 === 0 ? '/oauth2/token' : '/oauth2/revoke')).body.error).toBe('invalid_client')
    for (const path of ['/oauth2/token', '/oauth2/revoke']) {
      const { status, body, headers } = await guess(path)
      expect([status, Object.keys(body), body.error]).toEqual([
        429,
        ['error', 'error_description'],
        'temporarily_unavailable',
      ])
      expect(headers).toMatchObject({ 'retry-after': '1', 'x-ratelimit-limit': '600', 'x-ratelimit-remaining': '0' })
    }
    expect(
      (await token(limited, { grant_type: 'refresh_token', refresh_token: 'x' }, basic(clientId, secret))).status,
      'not with the secret either',
    ).toBe(429)
    limited.wait(6000)
    expect((await guess('/oauth2/token')).status).toBe(401)
    limited.wait(3000)
    expect((await guess('/oauth2/token')).status, 'what was refused cost nothing').toBe(401)
    expect((await guess('/oauth2/token')).status, 'and what failed is owed').toBe(429)
    expect((await limited.http.send({ method: 'GET', url: `${limited.origin}/oauth2/jwks` })).status).toBe(200)
  })

  test('does not starve other apps behind the same address, nor do many that succeed', async () => {
    const limited = await startApp({ signInsPerMinute: 2, standingStill: true })
    const guessed = await limited.oauth.register({ type: 'public' })
    for (let tries = 0; tries < 3; tries++) await token(limited, wrong(guessed.clientId))
    expect((await token(limited, wrong(guessed.clientId))).status).toBe(429)
    const visitor = await limited.oauth.visitor('member')
    for (let others = 0; others < 10; others++) {
      const third = await limited.oauth.register()
      let tokens = await connect(third, visitor, 'openid offline_access records:read')
      for (let turn = 0; turn < 5; turn++)
        tokens = await oauth.refreshTokenGrant(third.config, tokens.refresh_token as string)
      expect(tokens.access_token).toEqual(expect.any(String))
    }
  })

  test('under names that were made up is counted together', async () => {
    const limited = await startApp({ signInsPerMinute: 2, standingStill: true })
    const statuses: number[] = []
    for (let tries = 0; tries < 4; tries++) statuses.push((await token(limited, wrong(`made-up-${tries}`))).status)
    expect(statuses).toEqual([401, 401, 429, 429])
    const known = await limited.oauth.register({ type: 'public' })
    expect((await token(limited, wrong(known.clientId))).status).toBe(400)
  })

  test('from one address does not keep the app from working at another', async () => {
    const limited = await startApp({ signInsPerMinute: 2, standingStill: true, trustedProxies: ['loopback'] })
    const { clientId } = await limited.oauth.register({ type: 'public' })
    const from = (address: string) => token(limited, wrong(clientId), { 'X-Forwarded-For': address })
    for (let tries = 0; tries < 2; tries++) await from('192.0.2.1')
    expect((await from('192.0.2.1')).status).toBe(429)
    expect((await from('192.0.2.2')).status).toBe(400)
  })
})

describe('pages of other origins', () => {
  const spa = { Origin: 'https://spa.example.com' }

  test('may redeem codes for the app whose they are', async () => {
    expect(await allowed(token(app, wrong(open.clientId), spa))).toBe('https://spa.example.com')
  })

  test('and for no other, nor for one that has a secret', async () => {
    expect(await allowed(token(app, wrong(open.clientId), { Origin: 'https://evil.example.com' }))).toBeUndefined()
    const secret = `Basic ${Buffer.from(`${confidential.clientId}:${confidential.secret}`).toString('base64')}`
    expect(
      await allowed(
        token(
          app,
          { grant_type: 'refresh_token', refresh_token: 'x' },
          { Origin: 'https://app.example.com', Authorization: secret },
        ),
      ),
    ).toBeUndefined()
  })

  test.for(['/.well-known/openid-configuration', '/oauth2/jwks'])('may read %s wherever they are', async (path) => {
    const { status, headers } = await app.http.send({
      method: 'GET',
      url: app.origin + path,
      headers: { Origin: 'https://anywhere.example.com' },
    })
    expect([status, headers['access-control-allow-origin']]).toEqual([200, 'https://anywhere.example.com'])
  })

  test('may ask who a person is', async () => {
    const preflight = {
      Origin: 'https://anywhere.example.com',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'authorization',
    }
    const { status, headers } = await app.http.send({
      method: 'OPTIONS',
      url: `${app.origin}/oauth2/userinfo`,
      headers: preflight,
    })
    expect([status, headers['access-control-allow-origin'], headers['access-control-allow-headers']]).toEqual([
      204,
      '*',
      'authorization',
    ])
  })

  test('never have anyone’s cookies with them', async () => {
    for (const path of ['/oauth2/jwks', '/oauth2/userinfo', '/oauth2/authorize', '/oauth2/token']) {
      const { headers } = await app.http.send({ method: 'GET', url: app.origin + path, headers: spa })
      expect(headers['access-control-allow-credentials']).toBeUndefined()
    }
  })
})

describe('what is sent by mistake or by malice is told so, and nothing else', () => {
  const bodies: [string, Headers, string | Buffer, number][] = [
    ['nothing', {}, '', 400],
    ['JSON', { 'Content-Type': 'application/json' }, '{"grant_type":"authorization_code"}', 400],
    [
      'a parameter twice',
      form,
      `grant_type=refresh_token&grant_type=authorization_code&client_id=${open.clientId}`,
      400,
    ],
    ['no kind of grant', form, `client_id=${open.clientId}`, 400],
    ['too much', form, `client_id=${open.clientId}&code=${'x'.repeat(100_000)}`, 400],
    ['bytes that are no text', form, Buffer.from([0x63, 0x3d, 0xff, 0xfe, 0x00]), 400],
    [
      'a code with a null',
      form,
      `grant_type=authorization_code&code=%00&redirect_uri=x&client_id=${open.clientId}`,
      400,
    ],
    ['a client with a null', form, 'grant_type=authorization_code&code=x&redirect_uri=x&client_id=%00', 401],
  ]
  test.for(bodies)('%s', async ([, headers, body, status]) => {
    const answer = await app.http.send({ method: 'POST', url: `${app.origin}/oauth2/token`, headers, body })
    expect([answer.status, typeof answer.body.error]).toEqual([status, 'string'])
    expect(Object.keys(answer.body).filter((name) => !['error', 'error_description'].includes(name))).toEqual([])
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  test('with a state and a nonce of any kind', async () => {
    const visitor = await app.oauth.visitor('member')
    for (const odd of ['<script>', '\0', '💥', 'x'.repeat(3000), "'; drop table oauth_client; --"]) {
      const page = await visitor.open((await ask(confidential, 'openid', { state: odd, nonce: odd })).url)
      expect(page.status).toBeLessThan(500)
      expect(page.text).not.toContain('<script>')
    }
  })

  test('in an address that is too long: a person gets a page, an app an error', async () => {
    const long = 'x'.repeat(9000)
    const page = await app.http.send({ method: 'GET', url: `${app.origin}/oauth2/authorize?state=${long}` })
    expect([page.status, page.headers['content-type']]).toEqual([414, 'text/html; charset=utf-8'])
    expect(await app.http.send({ method: 'POST', url: `${app.origin}/oauth2/token?x=${long}` })).toMatchObject({
      status: 414,
      body: { error: 'invalid_request' },
    })
  })

  test('by a method that is not served', async () => {
    for (const [method, path] of [
      ['GET', '/oauth2/token'],
      ['POST', '/oauth2/authorize'],
      ['DELETE', '/oauth2/jwks'],
      ['GET', '/oauth2/connect'],
      ['POST', '/session/end/confirm'],
    ] as const) {
      expect((await app.http.send({ method, url: app.origin + path })).status, `${method} ${path}`).toBe(404)
    }
  })
})

test('below a path too, whether a proxy in front leaves it in place or not', async () => {
  const below = await startApp({ authUrl: 'https://crm.example.com/login' })
  for (const prefix of ['', '/login']) {
    const { status, body } = await below.http.send({
      method: 'GET',
      url: `${below.origin}${prefix}/.well-known/openid-configuration`,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      issuer: 'https://crm.example.com/login',
      token_endpoint: 'https://crm.example.com/login/oauth2/token',
      jwks_uri: 'https://crm.example.com/login/oauth2/jwks',
    })
    const query = new URLSearchParams({ client_id: 'x', response_type: 'code' })
    expect(
      (await below.http.send({ method: 'GET', url: `${below.origin}${prefix}/oauth2/authorize?${query.toString()}` }))
        .status,
    ).toBe(400)
  }
  expect(
    (await below.http.send({ method: 'GET', url: `${below.origin}/.well-known/oauth-authorization-server/login` })).body
      .issuer,
  ).toBe('https://crm.example.com/login')
})

test('beside an outside identity provider apps connect as ever', async () => {
  const beside = await startApp({
    outsideIssuer: { issuer: 'https://idp.example.com', jwksUrl: 'https://idp.example.com/jwks', audience: 'kontor' },
  })
  const third = await beside.oauth.register()
  const { access_token: accessToken } = await connect(
    third,
    await beside.oauth.visitor('member'),
    'openid records:read',
  )
  expect((await beside.api.get('/workspaces', { as: { authorization: `Bearer ${accessToken}` } })).status).toBe(200)
})

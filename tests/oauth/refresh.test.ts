import * as oauth from 'openid-client'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { connect, ledTo, type ThirdParty, type Tokens } from '../harness/oauth.ts'

const app = await startApp()
const node = await startApp({
  beside: { databaseUrl: app.databaseUrl, credentials: app.credentials },
  baseUrl: app.baseUrl,
  authUrl: app.origin,
})
const confidential = await app.oauth.register()
const open = await app.oauth.register({ type: 'public', name: 'Desk' })

/** On both apps: their clocks agree. */
const advance = async (ms: number): Promise<void> => {
  await node.advance(ms)
  await app.advance(ms)
}

const stay = 'openid offline_access records:read comments:read'
const dayMs = 86_400_000

/** For so long a refresh token that was used gives its successor again. */
const graceMs = 30_000

const refresh = (
  { config }: ThirdParty,
  { refresh_token }: Tokens,
  parameters?: Record<string, string>,
): Promise<Tokens> => oauth.refreshTokenGrant(config, refresh_token as string, parameters)

const status = ({ access_token }: Tokens) =>
  app.api.get('/workspaces', { as: { authorization: `Bearer ${access_token}` } }).then((answer) => answer.status)

const revoke = ({ config }: ThirdParty, token: string) => oauth.tokenRevocation(config, token)

const refused = { error: 'invalid_grant', status: 400 }

describe.each([
  ['of an app with a secret', confidential],
  ['of an app without one', open],
] as const)('a refresh token %s', (_kind, third) => {
  test('gives new tokens and another of its kind, and is used up by that', async () => {
    const first = await connect(third, await app.oauth.visitor('member'), stay)
    const second = await refresh(third, first)
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect(second.scope).toBe(stay)
    expect(await status(second)).toBe(200)
    expect(await status(await refresh(third, second))).toBe(200)
  })

  test('that is used twice ends everything that came of its beginning', async () => {
    const other = await connect(third, await app.oauth.visitor('member'), stay)
    const first = await connect(third, await app.oauth.visitor('member'), stay)
    const second = await refresh(third, first)
    const third_ = await refresh(third, second)
    await advance(graceMs)
    await expect(refresh(third, first)).rejects.toMatchObject(refused)
    for (const tokens of [first, second, third_]) expect(await status(tokens)).toBe(401)
    await expect(refresh(third, third_)).rejects.toMatchObject(refused)
    expect(await status(other), 'what was given at another time').toBe(200)
    expect(await status(await refresh(third, other))).toBe(200)
  })

  test('used several times at once gives one successor, and new access tokens that all work', async () => {
    const first = await connect(third, await app.oauth.visitor('member'), stay)
    const all = await Promise.all(
      Array.from({ length: 4 }, (_, turn) => refresh(turn % 2 === 0 ? third : ledTo(node.origin, third), first)),
    )
    expect(new Set(all.map(({ refresh_token }) => refresh_token)).size).toBe(1)
    for (const tokens of all) expect(await status(tokens)).toBe(200)
    const next = await refresh(third, all[0] as Tokens)
    expect(next.refresh_token).not.toBe(all[0]?.refresh_token)
    expect(await status(next)).toBe(200)
  })

  test(
    'gives the same successor for 30 seconds, whether that was used meanwhile or not, and does not make it ' +
      'fresh again',
    async () => {
      const first = await connect(third, await app.oauth.visitor('member'), stay)
      const second = await refresh(third, first)
      await advance(graceMs - 2000)
      expect((await refresh(third, first)).refresh_token).toBe(second.refresh_token)
      const next = await refresh(third, second)
      expect((await refresh(third, first)).refresh_token).toBe(second.refresh_token)
      expect((await refresh(third, second)).refresh_token).toBe(next.refresh_token)
      await advance(graceMs + 1000)
      await expect(refresh(third, second)).rejects.toMatchObject(refused)
      for (const tokens of [first, second, next]) expect(await status(tokens)).toBe(401)
      await expect(refresh(third, next)).rejects.toMatchObject(refused)
    },
  )

  test('is not given again to another app, whatever it knows', async () => {
    const first = await connect(third, await app.oauth.visitor('member'), stay)
    const second = await refresh(third, first)
    await expect(refresh(third === open ? confidential : open, first)).rejects.toMatchObject(refused)
    expect((await refresh(third, first)).refresh_token).toBe(second.refresh_token)
    expect(await app.oauth.stored()).not.toContain(second.refresh_token)
  })

  test('is good for 30 days, each anew', async () => {
    const first = await connect(third, await app.oauth.visitor('member'), stay)
    await advance(29 * dayMs)
    expect(await status(first)).toBe(401)
    const second = await refresh(third, first)
    expect(await status(second)).toBe(200)
    await advance(29 * dayMs)
    const latest = await refresh(third, second)
    expect(await status(latest)).toBe(200)
    await advance(30 * dayMs + 1000)
    await expect(refresh(third, latest)).rejects.toMatchObject(refused)
  })
})

test('an access token is good for an hour, seen before or not', async () => {
  const tokens = await connect(confidential, await app.oauth.visitor('member'), stay)
  expect(await status(tokens)).toBe(200)
  await advance(3_600_000 + 1000)
  expect(await status(tokens)).toBe(401)
})

test('an app may ask for less, and not for more', async () => {
  const first = await connect(confidential, await app.oauth.visitor('member'), stay)
  const less = await refresh(confidential, first, { scope: 'records:read' })
  expect(less.scope).toBe('records:read')
  await expect(refresh(confidential, less, { scope: 'records:read records:write' })).rejects.toMatchObject({
    error: 'invalid_scope',
  })
  expect((await refresh(confidential, less)).scope, 'all that was given').toBe(stay)
})

test('an app cannot use the refresh token of another', async () => {
  const first = await connect(confidential, await app.oauth.visitor('member'), stay)
  await expect(refresh(open, first)).rejects.toMatchObject(refused)
  expect(await status(await refresh(confidential, first))).toBe(200)
})

describe('revocation', () => {
  test.for([
    ['a refresh token', 'refresh_token'],
    ['an access token', 'access_token'],
  ] as const)('of %s ends the other too', async ([, kind]) => {
    const tokens = await connect(confidential, await app.oauth.visitor('member'), stay)
    expect(await status(tokens)).toBe(200)
    await revoke(confidential, tokens[kind] as string)
    expect(await status(tokens)).toBe(401)
    await expect(refresh(confidential, tokens)).rejects.toMatchObject(refused)
    await expect(
      oauth.fetchUserInfo(confidential.config, tokens.access_token, app.userIds.member),
    ).rejects.toMatchObject({ code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE' })
  })

  test('is for the app alone that has the token', async () => {
    const tokens = await connect(confidential, await app.oauth.visitor('member'), stay)
    await expect(revoke(open, tokens.access_token)).rejects.toMatchObject({ error: 'invalid_request' })
    await expect(revoke(open, tokens.refresh_token as string)).rejects.toMatchObject({ error: 'invalid_request' })
    expect(await status(tokens)).toBe(200)
    expect(await status(await refresh(confidential, tokens))).toBe(200)
  })

  test('answers an empty object as JSON, whatever was revoked', async () => {
    const { access_token, refresh_token = '' } = await connect(open, await app.oauth.visitor('member'), stay)
    for (const token of [access_token, refresh_token, 'nothing']) {
      const {
        status: code,
        headers,
        body,
      } = await app.http.send({
        method: 'POST',
        url: `${app.origin}/oauth2/revoke`,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ client_id: open.clientId, token }).toString(),
      })
      expect([code, headers['content-type'], body]).toEqual([200, 'application/json; charset=utf-8', {}])
    }
  })

  test('of what is no token is nothing', async () => {
    await revoke(confidential, 'nothing')
    await revoke(confidential, `${app.credentials.cast.tokens.member}x`)
    await revoke(confidential, app.credentials.cast.tokens.member)
    expect((await app.api.get('/workspaces', { as: 'member' })).status).toBe(200)
  })
})

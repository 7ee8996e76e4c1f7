import * as oauth from 'openid-client'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { ask, connect } from '../harness/oauth.ts'
import type { Caller } from '../harness/people.ts'
import { visitorOf } from '../harness/visitor.ts'
import { holdTrust } from '../oauth/trust.ts'

const endTrust = holdTrust()
const app = await startApp()
const node = await startApp({
  beside: { databaseUrl: app.databaseUrl, credentials: app.credentials },
  baseUrl: app.baseUrl,
  authUrl: app.origin,
})
const third = await app.oauth.register()
const before = 'quiet rivers run deep'
const after = 'loud mountains stand still'

const users = (at: typeof app, as: Caller) => at.api.get('/workspaces/acme/users', { as }).then(({ status }) => status)
const bearer = (token: string): Caller => ({ authorization: `Bearer ${token}` })

async function connected(name: string) {
  const { id, as } = await app.addMember('member', name, before)
  const tokens = await connect(third, await app.oauth.visitorOf(id), 'openid offline_access members:read')
  const { body } = await app.api.post('/workspaces/acme/api-keys', {
    as,
    body: { data: { type: 'api-key', attributes: { name: 'Nightly import' } } },
  })
  const key = { authorization: `api-key ${body.data.attributes.cleartext_api_key}` }
  const browser = visitorOf(app)
  await browser.signIn(`${name}@example.com`, before)
  for (const at of [app, node])
    expect([await users(at, as), await users(at, bearer(tokens.access_token)), await users(at, key)]).toEqual([
      200, 200, 200,
    ])
  return { id, as, tokens, key, browser, email: `${name}@example.com` }
}

const ways: [string, (one: Awaited<ReturnType<typeof connected>>) => Promise<void>][] = [
  [
    'by the one before',
    async ({ browser }) => {
      await browser.go('/auth/account')
      const answer = await browser.submit('/auth/account/password', { current: before, password: after })
      expect([answer.status, answer.headers['location']]).toEqual([303, '/auth/account?notice=password'])
    },
  ],
  [
    'by a link',
    async ({ email }) => {
      const { url } = await app.oauth.admin.passwordLink(email)
      const visitor = visitorOf(app)
      await visitor.go(url.slice(app.origin.length))
      expect((await visitor.submit('/auth/password', { password: after })).status).toBe(303)
    },
  ],
]

describe.each(ways)('a new password, %s,', (_way, change) => {
  test('ends what apps were allowed, and tokens of before, at once here and within seconds elsewhere', async () => {
    const one = await connected(`leaver-${_way.length}`)
    // Tokens are dated by the second.
    await app.advance(2000)
    await node.advance(2000)
    await change(one)
    for (const as of [one.as, bearer(one.tokens.access_token)]) expect(await users(app, as)).toBe(401)
    await expect(oauth.refreshTokenGrant(third.config, one.tokens.refresh_token as string)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    expect(await app.oauth.stored()).not.toContain(`"user_id":"${one.id}"`)
    await endTrust()
    for (const as of [one.as, bearer(one.tokens.access_token)]) expect(await users(node, as)).toBe(401)
    const fresh = await app.oauth.admin.token(one.email)
    expect([await users(app, bearer(fresh.access_token)), await users(app, 'member')]).toEqual([200, 200])
  })

  test('leaves the keys, and shows them with a way to end them all', async () => {
    const one = await connected(`keeper-${_way.length}`)
    await change(one)
    expect(await users(app, one.key)).toBe(200)
    const browser = visitorOf(app)
    await browser.signIn(one.email, after)
    const page = await browser.go('/auth/account?notice=password')
    expect(page.body).toContain('1 API key of yours still works')
    expect(page.body).toContain('Nightly import')
    const answer = await browser.submit('/auth/account/keys/revoke-all')
    expect([answer.status, answer.headers['location']]).toEqual([303, '/auth/account?notice=keys'])
    expect(await users(app, one.key)).toBe(401)
    expect((await browser.go('/auth/account')).body).toContain('You have no personal API keys.')
  })
})

test('a session that has ended allows no app anything', async () => {
  const { id, email } = await app
    .addMember('member', 'late', before)
    .then((one) => ({ ...one, email: 'late@example.com' }))
  const visitor = await app.oauth.visitorOf(id)
  const page = await visitor.open((await ask(third, 'openid members:read')).url)
  const { url } = await app.oauth.admin.passwordLink(email)
  const other = visitorOf(app)
  await other.go(url.slice(app.origin.length))
  await other.submit('/auth/password', { password: after })
  await visitor.submit(page, { answer: 'allow' })
  expect(await app.oauth.stored()).not.toContain(`"user_id":"${id}"`)
})

test('a token of a node whose clock is behind that of the new password is valid', async () => {
  const { id, email } = await connected('behind')
  await app.advance(60_000)
  const { url } = await app.oauth.admin.passwordLink(email)
  const visitor = visitorOf(app)
  await visitor.go(url.slice(app.origin.length))
  expect((await visitor.submit('/auth/password', { password: after })).status).toBe(303)
  const { access_token: token } = await node.issuer.mint(id)
  expect([await users(node, bearer(token)), await users(app, bearer(token))]).toEqual([200, 200])
})

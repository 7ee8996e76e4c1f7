import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import * as oauth from 'openid-client'
import { afterAll, describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { mailServer } from '../harness/mail.ts'
import { connect } from '../harness/oauth.ts'
import type { Caller } from '../harness/people.ts'
import { until } from '../harness/until.ts'
import { visitorOf } from '../harness/visitor.ts'
import { holdTrust } from '../oauth/trust.ts'

/** Ends what is kept of callers on the app that did not do it. */
const endTrust = holdTrust()

const { privateKey, publicKey } = await generateKeyPair('RS256')
const provider = createServer(
  (_request, response) =>
    void exportJWK(publicKey).then((jwk) =>
      response
        .setHeader('Content-Type', 'application/json')
        .end(JSON.stringify({ keys: [{ ...jwk, kid: 'one', alg: 'RS256', use: 'sig' }] })),
    ),
)
await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
afterAll(() => void provider.close())
const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`

const mail = await mailServer()
const app = await startApp({ outsideIssuer: { issuer, jwksUrl: `${issuer}/jwks.json`, audience: 'kontor' } })
/** The same database on a server that sends e-mail, as it may be set up later. */
const sending = await startApp({
  beside: { databaseUrl: app.databaseUrl, credentials: app.credentials },
  mail: { smtpUrl: mail.url, from: 'Kontor <kontor@example.com>' },
})

const theirs = 'a password of mallory'
const own = 'quiet rivers run deep'

const users = (as: Caller, slug = 'acme') =>
  app.api.get(`/workspaces/${slug}/users`, { as }).then(({ status }) => status)
const linkIn = (text: string): string => /http:\/\/[^/]+(\/auth\/\S+\?token=[\w-]{43})/.exec(text)?.[1] ?? ''

/**
 * An admin of acme makes the account of an address by the link of an invitation, and leaves in it whatever opens it.
 */
async function seize(name: string) {
  const email = `${name}@example.com`
  const { body } = await app.api.post('/workspaces/acme/invitations', { body: { email } })
  const browser = visitorOf(app)
  await browser.go(body.data.attributes.accept_url.slice(app.origin.length))
  expect((await browser.submit('/auth/invitation', { name: 'Mallory', password: theirs })).status).toBe(303)
  const token = (await app.oauth.admin.token(email)).access_token
  const made = await app.api.post('/workspaces/acme/api-keys', {
    as: { authorization: `Bearer ${token}` },
    body: { data: { type: 'api-key', attributes: { name: 'Back door' } } },
  })
  const [{ id }] = (await app.api.get('/workspaces/acme/users', { query: { 'page[limit]': 500 } })).body.data.filter(
    (one: { attributes: { email: string } }) => one.attributes.email === email,
  )
  const third = await app.oauth.register()
  const tokens = await connect(third, await app.oauth.visitorOf(id), 'openid email offline_access members:read')
  const key = { authorization: `api-key ${made.body.data.attributes.cleartext_api_key}` }
  for (const as of [key, { authorization: `Bearer ${tokens.access_token}` }]) expect(await users(as)).toBe(200)
  return {
    email,
    id: id as string,
    browser,
    third,
    tokens,
    keyId: made.body.data.id as string,
    key,
  }
}

type Seized = Awaited<ReturnType<typeof seize>>

async function expectLost({ email, id, browser, tokens, third, key, keyId }: Seized): Promise<void> {
  expect((await browser.go('/auth/account')).status, 'the session').toBe(303)
  expect((await visitorOf(app).signIn(email, theirs)).status, 'the password').toBe(422)
  expect(await users(key), 'the key').toBe(401)
  expect(await users({ authorization: `Bearer ${tokens.access_token}` }), 'the app').toBe(401)
  await expect(oauth.refreshTokenGrant(third.config, tokens.refresh_token as string)).rejects.toMatchObject({
    error: 'invalid_grant',
  })
  const revoked = (await app.events()).filter(
    ({ type, record_id }) => type === 'api_key.revoked' && record_id === keyId,
  )
  expect(revoked, 'the log').toMatchObject([{ payload: { name: 'Back door', user_id: id }, actor: { id } }])
}

const join = (email: string) => app.oauth.admin.addUser({ workspace: 'other', email, role: 'member' })

describe('an account that was made by a link which an admin was handed', () => {
  test('is nothing that the operator gives rights to', async () => {
    const { email } = await seize('unproven')
    await expect(join(email)).rejects.toThrow('its address was never verified')
    await expect(app.oauth.admin.createWorkspace({ slug: 'third', name: 'Third', adminEmail: email })).rejects.toThrow(
      'kontor user password-link --email',
    )
  })

  test('tells apps that the address is not verified', async () => {
    const { tokens, third, id } = await seize('claimed')
    expect(await oauth.fetchUserInfo(third.config, tokens.access_token, id)).toMatchObject({
      email: 'claimed@example.com',
      email_verified: false,
    })
  })

  test('goes to the owner of the address who asks for a password by e-mail, and no one else can open it', async () => {
    const one = await seize('asking')
    const owner = visitorOf(sending)
    await owner.go('/auth/reset')
    await owner.submit('/auth/reset', { email: one.email })
    await owner.go(linkIn((await mail.next()).text))
    expect((await owner.submit('/auth/password', { password: own })).status).toBe(303)
    await endTrust()
    await expectLost(one)
    expect((await visitorOf(app).signIn(one.email, own)).status).toBe(303)
    expect((await join(one.email)).email).toBe(one.email)
  })

  test('goes to who is invited by e-mail to another workspace', async () => {
    const one = await seize('mailed')
    expect(
      (await sending.api.post('/workspaces/other/invitations', { as: 'stranger', body: { email: one.email } })).status,
    ).toBe(201)
    const link = linkIn((await mail.next()).text)
    // It does not let in the person who holds the account.
    const { _csrf = '' } = await csrfOf(one)
    expect(
      (await one.browser.post('/auth/invitation/accept', { _csrf, token: link.split('token=')[1] as string })).status,
    ).toBe(404)
    const owner = visitorOf(sending)
    expect((await owner.go(link)).body).toContain('Create the account')
    expect((await owner.submit('/auth/invitation', { name: 'The Owner', password: own })).status).toBe(303)
    await endTrust()
    await expectLost(one)
    const page = await owner.go('/auth/account')
    for (const text of ['The Owner', 'Other', one.email]) expect(page.body).toContain(text)
  })

  test('goes to who signs in by the identity provider', async () => {
    const one = await seize('federated')
    const token = await new SignJWT({
      iss: issuer,
      aud: 'kontor',
      sub: 'idp|1',
      email: one.email,
      email_verified: true,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setExpirationTime('5m')
      .sign(privateKey)
    const as = { authorization: `Bearer ${token}` }
    expect(await Promise.all([users(as), users(as), users(as)])).toEqual([200, 200, 200])
    await expectLost(one)
    expect((await join(one.email)).email).toBe(one.email)
    expect(await users(as)).toBe(200)
  })

  test('is not had by the link of another workspace that its admin was handed', async () => {
    const one = await seize('shared')
    const { body } = await app.api.post('/workspaces/other/invitations', { as: 'stranger', body: { email: one.email } })
    const stranger = visitorOf(app)
    const page = await stranger.go(body.data.attributes.accept_url.slice(app.origin.length))
    expect(page.body).toContain('There is an account with this address. Sign in with it to accept.')
    expect((await visitorOf(app).signIn(one.email, theirs)).status).toBe(303)
  })

  test('stays unverified with a password by a link of the log, and is verified by one of the operator', async () => {
    const one = await seize('logged')
    const visitor = visitorOf(app)
    await visitor.go('/auth/reset')
    await visitor.submit('/auth/reset', { email: one.email })
    const link = await until(() => app.loggedLinks.at(-1))
    await visitor.go(link.slice(app.origin.length))
    expect((await visitor.submit('/auth/password', { password: own })).status).toBe(303)
    expect((await visitorOf(app).signIn(one.email, theirs)).status).toBe(422)
    await expect(join(one.email)).rejects.toThrow('never verified')
    const { url } = await app.oauth.admin.passwordLink(one.email)
    await visitor.go(url.slice(app.origin.length))
    expect((await visitor.submit('/auth/password', { password: `${own} again` })).status).toBe(303)
    await expectLost(one)
    expect((await join(one.email)).email).toBe(one.email)
  })
})

const csrfOf = async ({ browser }: Seized): Promise<Record<string, string>> => {
  const page = String((await browser.go('/auth/account')).body)
  return { _csrf: /name="_csrf" value="([^"]*)"/.exec(page)?.[1] ?? '' }
}

test('an account that was made by an e-mailed link, or by the operator, is verified', async () => {
  const { body } = await sending.api.post('/workspaces/acme/invitations', { body: { email: 'proven@example.com' } })
  expect(body.data.attributes.accept_url).toBeNull()
  const browser = visitorOf(sending)
  await browser.go(linkIn((await mail.next()).text))
  expect((await browser.submit('/auth/invitation', { name: 'Proven', password: own })).status).toBe(303)
  expect((await join('proven@example.com')).email).toBe('proven@example.com')
  await app.addMember('member', 'added')
  expect((await join('added@example.com')).email).toBe('added@example.com')
})

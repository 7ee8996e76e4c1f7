import * as oauth from 'openid-client'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { formOf, type Journey } from '../harness/journey.ts'
import type { ThirdParty } from '../harness/oauth.ts'

const app = await startApp({ standingStill: true, oauthRegistrationsPerHour: 10 })
const loopback = { type: 'public', redirectUris: ['http://127.0.0.1/callback'] } as const
const desk = await app.oauth.register({ ...loopback, name: 'Desk' })
const other = await app.oauth.register({ ...loopback, name: 'Other' })
const grantType = 'urn:ietf:params:oauth:grant-type:device_code'
const page = `${app.origin}/oauth2/device`

const begin = (third: ThirdParty = desk, scope = 'openid offline_access records:read') =>
  oauth.initiateDeviceAuthorization(third.config, { scope })

type Begun = Awaited<ReturnType<typeof begin>>

/** Asks once for what has been said, as a device does that has waited as it was told. */
async function poll({ device_code }: Pick<Begun, 'device_code'>, third = desk) {
  app.wait(5000)
  return oauth.genericGrantRequest(third.config, grantType, { device_code })
}

const refused = (error: string) => ({ error })

/** The page on which a person reads who asks. */
async function consentOf({ user_code }: Pick<Begun, 'user_code'>, visitor: Journey) {
  app.wait(60_000)
  const entry = await visitor.open(page)
  return visitor.submit(entry, { user_code })
}

async function answer(begun: Begun, given: 'allow' | 'deny', person = 'member') {
  const visitor = await app.oauth.visitor(person)
  return visitor.submit(await consentOf(begun, visitor), { answer: given })
}

const status = (accessToken: string, path = '/workspaces/acme/objects/company/resources') =>
  app.api.get(path, { as: { authorization: `Bearer ${accessToken}` } }).then((answered) => answered.status)

test('a command line is let in by a person at another device, and stays in', async () => {
  const begun = await begin()
  expect(begun).toEqual({
    device_code: expect.any(String),
    user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${begun.user_code}`,
    expires_in: 600,
    interval: 5,
  })
  await expect(poll(begun)).rejects.toMatchObject(refused('authorization_pending'))
  const visitor = await app.oauth.visitor('member')
  const consent = await consentOf(begun, visitor)
  expect(consent.text).toContain('Allow Desk to access your account?')
  expect(consent.text).toContain(`<strong>${begun.user_code}</strong>`)
  await expect(poll(begun)).rejects.toMatchObject(refused('authorization_pending'))
  const done = await visitor.submit(consent, { answer: 'allow' })
  expect([done.status, done.text.includes('Go back to your device')]).toEqual([200, true])
  const tokens = await poll(begun)
  expect(tokens.claims()?.sub).toBe(app.userIds.member)
  expect(await status(tokens.access_token)).toBe(200)
  expect(await status(tokens.access_token, '/workspaces/acme/schemas')).toBe(403)
  const again = await oauth.refreshTokenGrant(desk.config, tokens.refresh_token ?? '')
  expect(await status(again.access_token)).toBe(200)
  await app.oauth.revokeApp('member', desk.clientId)
  expect(await status(again.access_token)).toBe(401)
})

test('discovery names it, and an app without a word of the API asks for all that it may', async () => {
  const { body } = await app.http.send({ method: 'GET', url: `${app.origin}/.well-known/openid-configuration` })
  expect(body.device_authorization_endpoint).toBe(`${app.origin}/oauth2/device_authorization`)
  expect(body.grant_types_supported).toContain(grantType)
  const begun = await begin(desk, 'openid')
  await answer(begun, 'allow')
  expect(await status((await poll(begun)).access_token, '/workspaces/acme/schemas')).toBe(200)
})

test('what was typed otherwise is the same code, and a link enters nothing by itself', async () => {
  const begun = await begin()
  const visitor = await app.oauth.visitor('member')
  const linked = await visitor.open(begun.verification_uri_complete ?? '')
  expect(linked.text).toContain(`value="${begun.user_code}"`)
  expect(linked.text).not.toContain('Desk')
  const typed = begun.user_code.toLowerCase().replace('-', '  ')
  expect((await visitor.submit(linked, { user_code: typed })).text).toContain('Allow Desk to access your account?')
})

test('who is not signed in does so first, and finds the code again', async () => {
  const { verification_uri_complete: link = '', user_code } = await begin()
  const { url } = await (await app.oauth.visitor()).open(link)
  expect(new URL(url).pathname).toBe('/auth/sign-in')
  expect(new URL(url).searchParams.get('return_to')).toBe(`/oauth2/device?user_code=${user_code}`)
})

describe('a code', () => {
  test('brings tokens once; bringing it again ends what came of it', async () => {
    const begun = await begin()
    await answer(begun, 'allow')
    const tokens = await poll(begun)
    await expect(poll(begun)).rejects.toMatchObject(refused('invalid_grant'))
    expect(await status(tokens.access_token)).toBe(401)
  })

  test('brought twice at once gives nothing that lasts but to one, if to any', async () => {
    const begun = await begin()
    await answer(begun, 'allow')
    const got = await Promise.allSettled([poll(begun), poll(begun)])
    const tokens = got.flatMap((one) => (one.status === 'fulfilled' ? [one.value.access_token] : []))
    expect(tokens.length).toBeLessThanOrEqual(1)
  })

  test('is of no use to another app', async () => {
    const begun = await begin()
    await answer(begun, 'allow')
    await expect(poll(begun, other)).rejects.toMatchObject(refused('invalid_grant'))
    expect(await status((await poll(begun)).access_token)).toBe(200)
  })

  test('that is made up is of no use', async () => {
    await expect(poll({ device_code: 'made-up' })).rejects.toMatchObject(refused('invalid_grant'))
  })

  test('expires, allowed or not', async () => {
    const [late, allowed] = [await begin(), await begin()]
    await answer(allowed, 'allow')
    await app.advance(601_000)
    await expect(poll(late)).rejects.toMatchObject(refused('expired_token'))
    await expect(poll(allowed)).rejects.toMatchObject(refused('expired_token'))
    expect((await consentOf(late, await app.oauth.visitor('member'))).status).toBe(422)
  })

  test('is not kept as it is', async () => {
    const begun = await begin()
    const visitor = await app.oauth.visitor('member')
    await visitor.submit(await consentOf(begun, visitor), { answer: 'allow' })
    const stored = await app.oauth.stored()
    for (const secret of [begun.device_code, begun.user_code, begun.user_code.replace('-', '')])
      expect(stored).not.toContain(secret)
  })
})

describe('the answer', () => {
  test('no is told to the device, and is the last word', async () => {
    const begun = await begin()
    const visitor = await app.oauth.visitor('member')
    const consent = await consentOf(begun, visitor)
    expect((await visitor.submit(consent, { answer: 'deny' })).text).toContain('was not let in')
    expect((await visitor.submit(consent, { answer: 'allow' })).status).toBe(422)
    await expect(poll(begun)).rejects.toMatchObject(refused('access_denied'))
    await expect(poll(begun)).rejects.toMatchObject(refused('invalid_grant'))
  })

  test('counts once where two people answer at the same time', async () => {
    const begun = await begin()
    const visitors = [await app.oauth.visitor('member'), await app.oauth.visitor('admin')]
    const pages = await Promise.all(visitors.map((visitor) => consentOf(begun, visitor)))
    const answers = await Promise.all(
      visitors.map((visitor, index) => visitor.submit(pages[index]!, { answer: 'allow' })),
    )
    expect(new Set(answers.map((seen) => seen.status))).toEqual(new Set([200, 422]))
    const first = answers[0]?.status === 200 ? 'member' : 'admin'
    expect((await poll(begun)).claims()?.sub).toBe(app.userIds[first])
  })

  test('is not taken from a person who has not read the page', async () => {
    const begun = await begin()
    const visitor = await app.oauth.visitor('member')
    const { action, hidden } = formOf(await consentOf(begun, visitor))
    const seen = await visitor.post(action, { ...hidden, person: app.userIds.admin ?? '', answer: 'allow' })
    expect(seen.text).toContain('Allow Desk to access your account?')
    await expect(poll(begun)).rejects.toMatchObject(refused('authorization_pending'))
  })

  test('is worth nothing once the consent is taken back, or the person has left the workspace', async () => {
    const [revoked, left] = [await begin(other), await begin(other)]
    await answer(revoked, 'allow')
    await app.oauth.revokeApp('member', other.clientId)
    await expect(poll(revoked, other)).rejects.toMatchObject(refused('authorization_pending'))
    const visitor = await app.oauth.visitor('viewer')
    const consent = await consentOf(left, visitor)
    const workspace = /name="workspace" value="([^"]+)"/.exec(consent.text)?.[1] ?? ''
    await visitor.submit(consent, { answer: 'allow', workspace })
    expect((await app.api.delete(`/workspaces/acme/users/${app.userIds.viewer}`)).status).toBe(200)
    await expect(poll(left, other)).rejects.toMatchObject(refused('invalid_grant'))
  })
})

test('a device that asks too often is told to slow down, and loses nothing by it', async () => {
  const begun = await begin()
  const ask = () => oauth.genericGrantRequest(desk.config, grantType, { device_code: begun.device_code })
  for (const error of ['authorization_pending', 'authorization_pending', 'slow_down'])
    await expect(ask()).rejects.toMatchObject(refused(error))
  await answer(begun, 'allow')
  expect(await status((await poll(begun)).access_token)).toBe(200)
})

test('a person guesses at ten codes a minute', async () => {
  app.wait(60_000)
  const visitor = await app.oauth.visitor('member')
  const entry = await visitor.open(page)
  for (let guess = 0; guess < 10; guess++)
    expect((await visitor.submit(entry, { user_code: 'BBBB-BBBB' })).status).toBe(422)
  const { user_code } = await begin()
  const refusal = await visitor.submit(entry, { user_code })
  expect([refusal.status, refusal.headers.get('retry-after')]).toEqual([429, '6'])
})

test('apps on a server, and those that registered themselves, ask a browser', async () => {
  const { body } = await app.http.send({
    method: 'POST',
    url: `${app.origin}/oauth2/register`,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ redirect_uris: loopback.redirectUris, token_endpoint_auth_method: 'none' }),
  })
  const selfRegistered = new oauth.Configuration(desk.config.serverMetadata(), body.client_id, undefined, oauth.None())
  oauth.allowInsecureRequests(selfRegistered)
  for (const config of [(await app.oauth.register()).config, selfRegistered])
    await expect(oauth.initiateDeviceAuthorization(config, { scope: 'openid' })).rejects.toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringContaining('not allowed for this client'),
    })
})

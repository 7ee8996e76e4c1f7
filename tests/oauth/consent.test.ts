import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { allow, appAddress, ask, connect, leaving, redeem } from '../harness/oauth.ts'
import { formOf } from '../harness/journey.ts'
import { answerOf, consentPageOf, isConsent, isSignIn } from './consent-page.ts'

const app = await startApp()
const consentPage = consentPageOf(app)

describe('the page on which a person is asked', () => {
  test('says who asks, for whom, for what, and where it goes', async () => {
    const { page } = await consentPage(
      await app.oauth.register(),
      'openid profile email offline_access records:read:person records:write:project records:write comments:read',
    )
    for (const text of [
      'Mail Merge',
      'Max Member',
      'member@example.com',
      'app.example.com',
      'Know who you are',
      'Stay connected while you are away',
      'See people',
      'Create and change records',
      'Create and change records of the object “project”',
      'Read comments',
    ]) {
      expect(page.text).toContain(text)
    }
  })

  test('lists each permission of an app that may do everything', async () => {
    const { page } = await consentPage(await app.oauth.register(), 'openid')
    expect(page.text).toContain('Everything that you may do')
    expect(page.text).toMatch(/<details><summary>Show each permission[^]*Delete and restore records[^]*<\/details>/)
  })

  test('shows what an app calls itself as text', async () => {
    const { page } = await consentPage(await app.oauth.register({ name: '<script>alert(1)</script>"\'&' }))
    expect(page.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;')
    expect(page.text).not.toContain('<script')
  })

  test('can be put into no frame, runs nothing, is kept nowhere, and needs no script', async () => {
    const { page } = await consentPage(await app.oauth.register())
    expect(page.status).toBe(200)
    expect(page.headers.get('x-frame-options')).toBe('DENY')
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    )
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    expect(page.text).not.toMatch(/<script| on\w+=/)
  })

  test('takes no for an answer', async () => {
    const third = await app.oauth.register()
    const { visitor, asked, page } = await consentPage(third)
    const returned = leaving(await visitor.submit(page, { answer: 'deny' }))
    expect(returned.startsWith(`${appAddress}?`)).toBe(true)
    expect(answerOf(returned)).toMatchObject({ error: 'access_denied', state: asked.state, iss: app.origin })
    expect(await app.oauth.consents('member')).toEqual([])
  })

  test('believes no form but its own', async () => {
    const third = await app.oauth.register()
    const { visitor, page } = await consentPage(third)
    const { action, hidden } = formOf(page)
    const forged: [string, Record<string, string>, Record<string, string>?][] = [
      ['without the token', { answer: 'allow' }],
      ['with another token', { ...hidden, _csrf: 'x'.repeat(43), answer: 'allow' }],
      ['from another site', { ...hidden, answer: 'allow' }, { 'Sec-Fetch-Site': 'cross-site' }],
    ]
    for (const [what, fields, headers] of forged) {
      const answer = await visitor.post(action, fields, headers)
      expect([answer.status, answer.location], what).toEqual([403, null])
    }
    const other = await app.oauth.visitor('admin')
    await other.open(`${app.origin}/oauth2/connect/x`)
    expect((await other.post(action, { ...hidden, answer: 'allow' })).status, 'in another browser').toBe(403)
    expect(await app.oauth.consents('member')).toEqual([])
    expect(answerOf(await allow(visitor, page))).toHaveProperty('code')
  })

  test('is of the browser in which the app was used', async () => {
    const { page } = await consentPage(await app.oauth.register())
    const other = await app.oauth.visitor('member')
    const seen = await other.open(page.url)
    expect(seen.status).toBe(404)
    expect(seen.text).not.toContain('Mail Merge')
  })

  test('asks anew when another person has signed in meanwhile', async () => {
    const { visitor, page } = await consentPage(await app.oauth.register())
    const stranger = await app.oauth.visitor('stranger')
    visitor.setCookie('kontor_session', stranger.cookies()[0]?.value ?? '')
    const again = await visitor.open(page.url)
    expect(isConsent(again)).toBe(true)
    expect(again.url).not.toBe(page.url)
    expect(again.text).toContain('stranger@example.com')
  })

  test('wants a person who is still signed in', async () => {
    const third = await app.oauth.register()
    const { visitor, page } = await consentPage(third)
    const account = await visitor.open(`${app.origin}/auth/account`)
    await visitor.post(`${app.origin}/auth/sign-out`, formOf(account).hidden)
    expect((await visitor.submit(page, { answer: 'allow' })).status, 'a form of another person by now').toBe(403)
    const signIn = await visitor.open(page.url)
    expect(isSignIn(signIn)).toBe(true)
    expect(signIn.text).toContain('to continue to <strong>Mail Merge</strong>')
    expect((await app.oauth.consents('member')).map(({ client_id }) => client_id)).not.toContain(third.clientId)
  })

  test('is not shown to a person who was signed in once', async () => {
    const third = await app.oauth.register()
    const visitor = await app.oauth.visitor('member')
    const asked = await ask(third, 'openid')
    expect(isConsent(await visitor.open(asked.url))).toBe(true)
    await app.advance(8 * 86_400_000)
    expect(isSignIn(await visitor.open(asked.url))).toBe(true)
  })

  test('is over after an hour', async () => {
    const { visitor, page } = await consentPage(await app.oauth.register())
    await app.advance(3_600_000)
    expect((await visitor.open(page.url)).status).toBe(404)
  })
})

describe('what a person has said', () => {
  test('is remembered, in other browsers too', async () => {
    const third = await app.oauth.register()
    await connect(third, await app.oauth.visitor('member'), 'openid records:read')
    const { page } = await consentPage(third, 'openid records:read')
    expect(answerOf(leaving(page))).toHaveProperty('code')
    const less = await consentPage(third, 'records:read')
    expect(answerOf(leaving(less.page))).toHaveProperty('code')
  })

  test('does not count for more than was asked', async () => {
    const third = await app.oauth.register()
    await connect(third, await app.oauth.visitor('member'), 'openid records:read')
    const { visitor, asked, page } = await consentPage(third, 'openid records:read records:write')
    expect(isConsent(page)).toBe(true)
    expect(page.text.match(/<span class="tag">new<\/span>/g)).toHaveLength(1)
    const tokens = await redeem(third, asked, await allow(visitor, page))
    expect(tokens.scope).toBe('openid records:read records:write')
    expect((await app.oauth.consents('member')).find(({ client_id }) => client_id === third.clientId)?.scopes).toEqual([
      'openid',
      'records:read',
      'records:write',
    ])
  })

  test('does not count for another person, nor for another app', async () => {
    const third = await app.oauth.register()
    await connect(third, await app.oauth.visitor('member'), 'openid records:read')
    const admin = await app.oauth.visitor('admin')
    expect(isConsent(await admin.open((await ask(third, 'openid records:read')).url))).toBe(true)
    expect(isConsent((await consentPage(await app.oauth.register())).page)).toBe(true)
  })

  test('is asked again of an app on a device, which anyone could pretend to be', async () => {
    const third = await app.oauth.register({ type: 'public', redirectUris: ['http://127.0.0.1/callback'] })
    const local = { ...third, redirectUri: 'http://127.0.0.1:7777/callback' }
    await connect(local, await app.oauth.visitor('member'), 'openid records:read')
    expect(isConsent((await consentPage(local)).page)).toBe(true)
  })
})

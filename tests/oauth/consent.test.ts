import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { allow, appAddress, ask, connect, leaving, redeem, type ThirdParty } from '../harness/oauth.ts'
import { formOf, type Seen } from '../harness/journey.ts'

const app = await startApp()
const password = 'a tall order of herring'
const nora = await app.addMember('member', 'nora', password)

const isConsent = ({ url }: Seen) => url.includes('/oauth2/connect/')
const isSignIn = ({ url }: Seen) => url.includes('/auth/sign-in')
const answerOf = (address: string) => Object.fromEntries(new URL(address).searchParams)

async function consentPage(
  third: ThirdParty,
  scope = 'openid records:read',
  parameters?: Readonly<Record<string, string>>,
) {
  const visitor = await app.oauth.visitor('member')
  const asked = await ask(third, scope, parameters)
  return { visitor, asked, page: await visitor.open(asked.url) }
}

/** Whether an app may have people sent to an address. */
const maySend = async (third: ThirdParty, redirectUri: string): Promise<boolean> =>
  isConsent((await consentPage({ ...third, redirectUri })).page)

describe('the page on which a person is asked', () => {
  test('says who asks, for whom, for what, and where it goes', async () => {
    const { page } = await consentPage(
      await app.oauth.register(),
      'openid profile email offline_access records:read:person records:write comments:read',
    )
    for (const text of [
      'Mail Merge',
      'Max Member',
      'member@example.com',
      'app.example.com',
      'Know who you are',
      'Stay connected while you are away',
      'See records of the kind “person”',
      'Create and change records',
      'Read comments',
    ]) {
      expect(page.text).toContain(text)
    }
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
    expect(isSignIn(await visitor.open(page.url))).toBe(true)
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

describe('an app may ask', () => {
  test('for the question, although it was answered', async () => {
    const third = await app.oauth.register()
    await connect(third, await app.oauth.visitor('member'), 'openid records:read')
    const { visitor, asked, page } = await consentPage(third, 'openid records:read', { prompt: 'consent' })
    expect(isConsent(page)).toBe(true)
    await redeem(third, asked, await allow(visitor, page))
  })

  test('without any question', async () => {
    const third = await app.oauth.register()
    const visitor = await app.oauth.visitor()
    const silent = { prompt: 'none' }
    expect(answerOf(leaving(await visitor.open((await ask(third, 'openid records:read', silent)).url)))).toMatchObject({
      error: 'login_required',
    })
    expect(answerOf(leaving((await consentPage(third, 'openid records:read', silent)).page))).toMatchObject({
      error: 'consent_required',
    })
    await connect(third, await app.oauth.visitor('member'), 'openid records:read')
    expect(answerOf(leaving((await consentPage(third, 'openid records:read', silent)).page))).toHaveProperty('code')
  })

  test.for(['login', 'select_account'])('that a person signs in, although they have (%s)', async (prompt) => {
    const third = await app.oauth.register()
    const { page } = await consentPage(third, 'openid records:read', { prompt })
    expect(isSignIn(page)).toBe(true)
    expect(new URL(page.url).searchParams.get('again')).toBe('1')
  })

  test.for([{ prompt: 'login' }, { prompt: 'select_account' }, { prompt: 'login consent' }, { max_age: '0' }])(
    'and goes on with the person who has signed in (%j)',
    async (parameters) => {
      const third = await app.oauth.register()
      const { visitor, asked, page } = await consentPage(third, 'openid offline_access records:read', parameters)
      const consent = await visitor.submit(page, { email: 'nora@example.com', password })
      expect(isConsent(consent)).toBe(true)
      expect(consent.text).toContain('nora@example.com')
      const tokens = await redeem(third, asked, await allow(visitor, consent))
      expect(tokens.claims()?.sub).toBe(nora.id)
      expect(tokens.refresh_token).toEqual(expect.any(String))
    },
  )

  test('for a person whose e-mail address it knows', async () => {
    const third = await app.oauth.register()
    const visitor = await app.oauth.visitor()
    const page = await visitor.open((await ask(third, 'openid', { login_hint: 'nora"@example.com' })).url)
    expect(page.text).toContain('value="nora&quot;@example.com"')
  })

  test('that a person has signed in not long ago', async () => {
    const third = await app.oauth.register()
    expect(isConsent((await consentPage(third, 'openid records:read', { max_age: '600' })).page)).toBe(true)
    expect(isSignIn((await consentPage(third, 'openid records:read', { max_age: '0' })).page)).toBe(true)
  })

  test('for nothing, and gets nothing', async () => {
    const third = await app.oauth.register()
    expect(answerOf(leaving((await consentPage(third, 'address phone')).page))).toMatchObject({
      error: 'access_denied',
    })
  })

  test('nothing of which it has no idea', async () => {
    const third = await app.oauth.register()
    expect(
      answerOf(leaving((await consentPage(third, 'openid records:read', { prompt: 'dance' })).page)),
    ).toMatchObject({ error: 'invalid_request' })
    expect(
      new URL(leaving((await consentPage(third, 'openid records:read', { response_type: 'token' })).page)).hash,
    ).toContain('error=unsupported_response_type')
  })
})

describe('no browser is sent where an app has not registered', () => {
  const elsewhere: [string, string | undefined][] = [
    ['to another site', 'https://evil.example.com/callback'],
    ['to another path', 'https://app.example.com/callback/../open'],
    ['with something added', 'https://app.example.com/callback?next=https://evil.example.com'],
    ['with a slash added', 'https://app.example.com/callback/'],
    ['to a look-alike', 'https://app.example.com.evil.example.com/callback'],
    ['with user information in front', 'https://app.example.com@evil.example.com/callback'],
    ['without encryption', 'http://app.example.com/callback'],
    ['to a script', 'javascript:alert(1)'],
    ['to a page in itself', 'data:text/html,x'],
    ['to another case', 'https://app.example.com/Callback'],
  ]
  test.for(elsewhere)('%s', async ([, redirect_uri]) => {
    const third = await app.oauth.register()
    const { page } = await consentPage({ ...third, redirectUri: redirect_uri ?? '' })
    expect([page.status, page.location]).toEqual([400, null])
    expect(page.text).toContain('This app could not be connected')
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(page.text).not.toMatch(/<script|\n\s+at /)
  })

  test('but to any port of the device, where an app runs on it', async () => {
    const registered = ['http://127.0.0.1/callback']
    const onDevice = await app.oauth.register({ type: 'public', redirectUris: registered })
    const onServer = await app.oauth.register({ redirectUris: registered })
    expect(await maySend(onDevice, 'http://127.0.0.1:51234/callback')).toBe(true)
    for (const other of [
      'http://127.0.0.1:51234/other',
      'http://localhost:51234/callback',
      'http://127.0.0.1.evil.example.com/callback',
      'https://127.0.0.1:51234/callback',
      'http://127.0.0.1:51234@evil.example.com/callback',
    ]) {
      expect(await maySend(onDevice, other), other).toBe(false)
    }
    expect(await maySend(onServer, 'http://127.0.0.1/callback')).toBe(true)
    expect(await maySend(onServer, 'http://127.0.0.1:51234/callback')).toBe(false)
  })

  test('not with an error either', async () => {
    const third = await app.oauth.register()
    for (const parameters of [
      { scope: 'a"b' },
      { prompt: 'none' },
      { response_type: 'token' },
      { code_challenge_method: 'plain' },
    ] as Record<string, string>[]) {
      const { page } = await consentPage({ ...third, redirectUri: 'https://evil.example.com/' }, 'openid', parameters)
      expect([page.status, page.location]).toEqual([400, null])
    }
  })

  test('nor for an unknown app', async () => {
    const visitor = await app.oauth.visitor('member')
    for (const client_id of ['01890000-0000-7000-8000-000000000000', "'; --", '']) {
      const query = new URLSearchParams({ client_id, redirect_uri: appAddress, response_type: 'code', scope: 'openid' })
      const page = await visitor.open(`${app.origin}/oauth2/authorize?${query.toString()}`)
      expect([page.status, page.location]).toEqual([400, null])
    }
  })

  test('and a person who signs in is sent back to us alone', async () => {
    const third = await app.oauth.register()
    const visitor = await app.oauth.visitor()
    const page = await visitor.open((await ask(third, 'openid')).url)
    expect(new URL(page.url).searchParams.get('return_to')).toMatch(/^\/oauth2\/connect\/[\w-]+$/)
  })
})

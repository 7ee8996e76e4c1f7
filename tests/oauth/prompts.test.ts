import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { allow, ask, connect, leaving, redeem } from '../harness/oauth.ts'
import { answerOf, consentPageOf, isConsent, isSignIn } from './consent-page.ts'

const app = await startApp()
const password = 'a tall order of herring'
const nora = await app.addMember('member', 'nora', password)

const consentPage = consentPageOf(app)

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

  test('that a person signs in, on a page that names the app', async () => {
    const third = await app.oauth.register({ name: 'Quiet <Quill>' })
    const visitor = await app.oauth.visitor()
    const page = await visitor.open((await ask(third, 'openid records:read')).url)
    expect(isSignIn(page)).toBe(true)
    expect(page.text).toContain('to continue to <strong>Quiet &lt;Quill&gt;</strong>')
    expect((await visitor.open(`${app.origin}/auth/sign-in`)).text).not.toContain('to continue to')
  })

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

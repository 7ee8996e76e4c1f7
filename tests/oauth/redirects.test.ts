import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { appAddress, ask, type ThirdParty } from '../harness/oauth.ts'
import { consentPageOf, isConsent } from './consent-page.ts'

const app = await startApp()
const consentPage = consentPageOf(app)

/** Returns whether an app may have people sent to an address. */
const maySend = async (third: ThirdParty, redirectUri: string): Promise<boolean> =>
  isConsent((await consentPage({ ...third, redirectUri })).page)

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

import * as oauth from 'openid-client'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { connect, leaving, type ThirdParty } from '../harness/oauth.ts'
import { isSignIn } from './consent-page.ts'

const app = await startApp()

const logoutUrl = ({ config }: ThirdParty, parameters: Record<string, string> = {}): string =>
  oauth.buildEndSessionUrl(config, parameters).href

/** A person who has let an app in, and is signed in on the server. */
async function connected() {
  const third = await app.oauth.register()
  const visitor = await app.oauth.visitor('member')
  const { id_token: hint = '' } = await connect(third, visitor, 'openid')
  const isSignedIn = async () => !isSignIn(await visitor.open(`${app.origin}/auth/account`))
  return { third, visitor, hint, isSignedIn }
}

describe('an app that signs its person out', () => {
  test('has them asked, and sent back to itself with its state', async () => {
    const { third, visitor, hint, isSignedIn } = await connected()
    const returned = { post_logout_redirect_uri: third.redirectUri, state: 'a b' }
    const page = await visitor.open(logoutUrl(third, { id_token_hint: hint, ...returned }))
    expect(page.text).toContain('Mail Merge')
    expect(await isSignedIn()).toBe(true)
    const back = new URL(leaving(await visitor.submit(page, { answer: 'out' })))
    expect(back.href).toBe(`${third.redirectUri}?state=a+b`)
    expect(await isSignedIn()).toBe(false)
  })

  test('leaves it at that where they stay signed in', async () => {
    const { third, visitor, isSignedIn } = await connected()
    const page = await visitor.open(logoutUrl(third, { post_logout_redirect_uri: third.redirectUri }))
    expect(leaving(await visitor.submit(page, { answer: 'stay' }))).toBe(third.redirectUri)
    expect(await isSignedIn()).toBe(true)
  })

  test('gets them back at once where they are signed out already', async () => {
    const third = await app.oauth.register()
    const stranger = await app.oauth.visitor()
    const page = await stranger.open(logoutUrl(third, { post_logout_redirect_uri: third.redirectUri }))
    expect(leaving(page)).toBe(third.redirectUri)
  })

  test('may send them with a form, and need not want them back', async () => {
    const { third, hint, isSignedIn, visitor } = await connected()
    const answer = await app.http.send({
      method: 'POST',
      url: `${app.origin}/oauth2/logout`,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: 'https://app.example.com' },
      body: new URLSearchParams({ id_token_hint: hint, client_id: third.clientId }).toString(),
    })
    expect(answer.status).toBe(303)
    const page = await visitor.open(new URL(answer.headers['location'] ?? '', app.origin).href)
    const done = await visitor.submit(page, { answer: 'out' })
    expect([done.status, done.location]).toEqual([200, null])
    expect(await isSignedIn()).toBe(false)
  })
})

describe('no app has a person sent', () => {
  test.for<[string, (third: ThirdParty, other: ThirdParty, hint: string) => Record<string, string>]>([
    ['elsewhere', () => ({ post_logout_redirect_uri: 'https://elsewhere.example.com/' })],
    ['to another app', (_third, { redirectUri }) => ({ post_logout_redirect_uri: `${redirectUri}/other` })],
    ['with the ID token of another', (_third, other, hint) => ({ client_id: other.clientId, id_token_hint: hint })],
    ['with one that was changed', (_third, _other, hint) => ({ id_token_hint: `${hint.slice(0, -8)}AAAAAAAA` })],
    ['with one that is none', () => ({ id_token_hint: 'x' })],
  ])('%s', async ([, parametersOf]) => {
    const { third, visitor, hint, isSignedIn } = await connected()
    const parameters = parametersOf(third, await app.oauth.register(), hint)
    const page = await visitor.open(logoutUrl(third, parameters))
    expect([page.status, page.location]).toEqual([400, null])
    expect(await isSignedIn()).toBe(true)
  })

  test('without saying which app it is', async () => {
    const visitor = await app.oauth.visitor('member')
    const uri = encodeURIComponent('https://app.example.com/callback')
    expect((await visitor.open(`${app.origin}/oauth2/logout?post_logout_redirect_uri=${uri}`)).status).toBe(400)
  })
})

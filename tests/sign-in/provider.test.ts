import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { afterAll, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { visitorOf } from '../harness/visitor.ts'
import { TOTP } from 'otpauth'

/** A provider of OpenID Connect that runs here, on a free port. */
const server = createServer()
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => void server.close())
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const app = await startApp({
  signInProviders: [{ id: 'oidc', name: 'Acme ID', issuer, clientId: 'kontor', clientSecret: 'a secret of Kontor' }],
})
const callback = `${app.origin}/auth/provider/oidc/callback`
const provider = new Provider(issuer, {
  clients: [{ client_id: 'kontor', client_secret: 'a secret of Kontor', redirect_uris: [callback] }],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: addresses.get(id) ?? id, email_verified: id !== 'unverified@example.com' }),
  }),
})
/** Addresses of accounts at the provider whose login is no address, or another one than theirs by now. */
const addresses = new Map<string, string>()
const respond = provider.callback()
server.on('request', (request, response) => void respond(request, response))
await app.addMember('member', 'known')

const start = '/auth/provider/oidc'

/** Signs in at the provider, from its address on; returns the address that it sends the browser back to. */
async function signInThere(url: string, email: string): Promise<string> {
  const cookies = new Map<string, string>()
  const call = async (to: string, form?: Record<string, string>) => {
    const response = await fetch(to, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form !== undefined && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=')
      if (value !== '') cookies.set(name, value)
    }
    return { page: await response.text(), location: response.headers.get('location') }
  }
  let at = url
  for (let step = 0; step < 12; step++) {
    if (at.startsWith(callback)) return at
    const { page, location } = await call(at)
    const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? []
    const next = location ?? (await call(at, { prompt: prompt ?? '', login: email, password: 'x' })).location ?? ''
    at = new URL(next, issuer).href
  }
  throw new Error('the provider did not send the browser back')
}

/** Begins a sign-in here, and takes it to the provider and back. */
async function signIn(email: string, change: (back: string) => string = (back) => back, from = start) {
  const browser = visitorOf(app)
  const begun = await browser.go(from)
  const back = await signInThere(begun.headers['location'] ?? '', email)
  return { browser, back, answer: await browser.go(change(back)) }
}

test('a person signs in by a provider, with the address that it has verified', async () => {
  const page = await visitorOf(app).go('/auth/sign-in')
  expect(page.body).toContain(`href="${start}"`)
  const { browser, answer } = await signIn('known@example.com')
  expect([answer.status, answer.headers['location']]).toEqual([303, '/auth/account'])
  expect((await browser.go('/auth/account')).body).toContain('known@example.com')
})

test('continues where the sign-in began, on this server only', async () => {
  const there = await signIn('known@example.com', (back) => back, `${start}?return_to=%2Fauth%2Faccount%3Fa%3D1`)
  expect(there.answer.body).toContain('url=/auth/account?a=1')
  const foreign = await signIn('known@example.com', (back) => back, `${start}?return_to=https%3A%2F%2Fevil.example`)
  expect(foreign.answer.headers['location']).toBe('/auth/account')
})

test.for([
  ['nobody@example.com', 'There is no account with the address'],
  ['unverified@example.com', 'has not verified your e-mail address'],
] as const)('%s gets no session', async ([email, text]) => {
  const { browser, answer } = await signIn(email)
  expect([answer.status, browser.cookies.has('kontor_session')]).toEqual([403, false])
  expect(answer.body).toContain(text)
})

test('knows a person by their subject: the address may change, and another owner of it gets no session', async () => {
  await app.addMember('member', 'married')
  await signIn('married@example.com')
  addresses.set('married@example.com', 'known@example.com')
  const { browser } = await signIn('married@example.com')
  expect((await browser.go('/auth/account')).body).toContain('<p class="lead">married@example.com</p>')

  addresses.set('successor', 'married@example.com')
  const refused = await signIn('successor')
  expect([refused.answer.status, refused.browser.cookies.has('kontor_session')]).toEqual([403, false])
  expect(refused.answer.body).toContain('connected to another account of the provider')

  const disconnected = await browser.submit('/auth/account/provider')
  expect(disconnected.headers['location']).toBe('/auth/account?notice=provider')
  const admitted = await signIn('successor')
  expect((await admitted.browser.go('/auth/account')).body).toContain('<p class="lead">married@example.com</p>')
  addresses.delete('married@example.com')
  expect((await signIn('married@example.com')).answer.status).toBe(403)
})

test('of two people who come with one address at once, one gets the account', async () => {
  await app.addMember('member', 'wanted')
  for (const name of ['first', 'second']) addresses.set(name, 'wanted@example.com')
  const both = await Promise.all(['first', 'second', 'first', 'second'].map((name) => signIn(name)))
  const admitted = both.map(({ browser }) => browser.cookies.has('kontor_session'))
  expect(admitted.filter(Boolean)).toHaveLength(2)
  expect(admitted.slice(2)).toEqual(admitted.slice(0, 2))
})

test('a response that does not belong to a sign-in of this browser signs no one in', async () => {
  const changed: [string, (back: string) => string][] = [
    ['another state', (back) => back.replace(/state=[^&]*/, 'state=made-up')],
    ['another code', (back) => back.replace(/code=[^&]*/, 'code=made-up')],
    ['another issuer', (back) => back.replace(/iss=[^&]*/, 'iss=https%3A%2F%2Fevil.example')],
    ['a refusal', (back) => back.replace(/code=[^&]*/, 'error=access_denied')],
  ]
  for (const [what, change] of changed) {
    const { browser, answer } = await signIn('known@example.com', change)
    expect([answer.status, browser.cookies.has('kontor_session')], what).toEqual([403, false])
  }
  const { back } = await signIn('known@example.com')
  expect((await visitorOf(app).go(back)).status, 'another browser').toBe(403)
})

test('a sign-in that took more than fifteen minutes begins anew', async () => {
  const browser = visitorOf(app)
  const begun = await browser.go(start)
  const back = await signInThere(begun.headers['location'] ?? '', 'known@example.com')
  await app.advance(15 * 60_000)
  expect((await browser.go(back)).status).toBe(403)
})

test('asks for the second factor of the account after the provider', async () => {
  const password = 'quiet rivers run deep'
  await app.addMember('member', 'careful', password)
  const own = visitorOf(app)
  await own.signIn('careful@example.com', password)
  const factor = '/auth/account/second-factor'
  const [, secret = ''] = /<code>([A-Z2-7]{32})<\/code>/.exec(String((await own.go(factor)).body)) ?? []
  const code = () => new TOTP({ secret }).generate({ timestamp: app.now() })
  expect((await own.submit(factor, { code: code() })).body).toContain('Keep these recovery codes')
  await app.advance(30_000)
  const { browser, answer } = await signIn('careful@example.com')
  expect([answer.status, browser.cookies.has('kontor_session')]).toEqual([200, false])
  expect((await browser.submit('/auth/sign-in/code', { code: code() })).status).toBe(303)
  expect((await browser.go('/auth/account')).body).toContain('careful@example.com')
})

test('hands an account that another person has made over to the owner of the address', async () => {
  const email = 'claimed@example.com'
  const password = 'a password of mallory'
  const { body } = await app.api.post('/workspaces/acme/invitations', { body: { email } })
  const mallory = visitorOf(app)
  await mallory.go(body.data.attributes.accept_url.slice(app.origin.length))
  expect((await mallory.submit('/auth/invitation', { name: 'Mallory', password })).status).toBe(303)
  const { browser } = await signIn(email)
  expect((await browser.go('/auth/account')).body).toContain(email)
  expect((await mallory.go('/auth/account')).status, 'the session of before').toBe(303)
  expect((await visitorOf(app).signIn(email, password)).status, 'the password of before').toBe(422)
})

import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { softwarePasskey } from '../harness/authenticator.ts'
import type { Json } from '../harness/http.ts'
import { mailServer } from '../harness/mail.ts'
import { unescaped, visitorOf } from '../harness/visitor.ts'

const mail = await mailServer()
const app = await startApp({ mail: { smtpUrl: mail.url, from: 'Kontor <kontor@example.com>' } })
const password = 'quiet rivers run deep'
const path = '/auth/account/passkeys'
const signInPath = '/auth/sign-in/passkey'

/** The options that the button of a page gives to the browser. */
const optionsIn = (page: unknown): Json =>
  JSON.parse(unescaped(/data-options="([^"]*)"/.exec(String(page))?.[1] ?? 'null'))

async function member(name: string) {
  await app.addMember('member', name, password)
  const browser = visitorOf(app)
  await browser.signIn(`${name}@example.com`, password)
  return browser
}

/** A member with a passkey. */
async function memberWithPasskey(name: string) {
  const browser = await member(name)
  const passkey = softwarePasskey(app.origin)
  const response = passkey.create(optionsIn((await browser.go(path)).body))
  const answer = await browser.submit(path, { name: 'My telephone', response })
  expect([answer.status, answer.headers['location']]).toEqual([303, `${path}?notice=added`])
  expect((await mail.next()).text).toContain('A passkey was added')
  return { browser, passkey, email: `${name}@example.com` }
}

/** Opens the sign-in page in a new browser; `send` sends it a response to its challenge. */
async function signInPage() {
  const browser = visitorOf(app)
  const options = optionsIn((await browser.go('/auth/sign-in')).body)
  return { browser, options, send: (response: string) => browser.submit(signInPath, { response }) }
}

test('a person adds a passkey, signs in with it, sees when it was used, and removes it', async () => {
  const { browser, passkey, email } = await memberWithPasskey('ada')
  expect((await browser.go(path)).body).toContain('Never used')
  const page = await signInPage()
  const answer = await page.send(passkey.get(page.options))
  expect([answer.status, answer.headers['location']]).toEqual([303, '/auth/account'])
  expect((await page.browser.go('/auth/account')).body).toContain(email)
  const shown = String((await page.browser.go(path)).body)
  expect(shown).toContain('My telephone')
  expect(shown).toContain('Last used')
  expect((await page.browser.submit(`${path}/remove`)).status).toBe(303)
  expect((await mail.next()).text).toContain('was removed')
  const later = await signInPage()
  expect((await later.send(passkey.get(later.options))).status).toBe(422)
  expect(later.browser.cookies.has('kontor_session')).toBe(false)
})

test('a response signs a person in once, and only for fifteen minutes', async () => {
  const { passkey } = await memberWithPasskey('once')
  const first = await signInPage()
  await app.advance(1000)
  const second = await signInPage()
  const response = passkey.get(first.options)
  expect((await first.send(response)).status).toBe(303)
  expect((await second.send(response)).status, 'again').toBe(422)
  const third = await signInPage()
  expect((await third.send(passkey.get(third.options))).status).toBe(303)
  const [behind, ahead] = [await signInPage(), await app.advance(1000).then(signInPage)]
  expect((await ahead.send(passkey.get(ahead.options))).status).toBe(303)
  expect((await behind.send(passkey.get(behind.options))).status, 'of a node whose clock is behind').toBe(303)
  const late = await signInPage()
  await app.advance(15 * 60_000)
  expect((await late.send(passkey.get(late.options))).status, 'late').toBe(422)
})

test('refuses a response that was not made for it', async () => {
  const { passkey } = await memberWithPasskey('grace')
  const page = await signInPage()
  const own = JSON.parse(passkey.get(page.options))
  const foreign = JSON.parse(softwarePasskey(app.origin).get(page.options))
  const refused: Record<string, string> = {
    nothing: '',
    'no JSON': '{',
    'the signature of another key': JSON.stringify({
      ...own,
      response: { ...own.response, signature: foreign.response.signature },
    }),
    'a key that is not known': JSON.stringify({ ...own, id: foreign.id, rawId: foreign.rawId }),
    'a challenge that is not ours': passkey.get({ ...page.options, challenge: 'bWFkZS11cA' }),
    'another server': passkey.get({ ...page.options, rpId: 'evil.example' }),
    'a holder whom the device has not verified': passkey.get(page.options, { isVerified: false }),
  }
  for (const [why, response] of Object.entries(refused)) {
    expect((await page.send(response)).status, why).toBe(422)
    await page.browser.go('/auth/sign-in')
  }
  expect(page.browser.cookies.has('kontor_session')).toBe(false)
})

test('refuses to add a passkey of another page, another person, or with certificates', async () => {
  const browser = await member('katherine')
  const options = optionsIn((await browser.go(path)).body)
  const others = optionsIn((await (await member('dorothy')).go(path)).body)
  const create = (given: Json, origin = app.origin, more = {}) => softwarePasskey(origin).create(given, more)
  const refused: Record<string, string> = {
    'another origin': create(options, 'https://evil.example'),
    'another person': create(others),
    'a sign-in': create({ ...options, challenge: (await signInPage()).options.challenge }),
    'no verified holder': create(options, app.origin, { isVerified: false }),
    certificates: create(options, app.origin, { format: 'packed', statement: new Map([['x5c', new Map()]]) }),
  }
  for (const [why, response] of Object.entries(refused)) {
    const answer = await browser.submit(path, { response })
    expect([answer.status, String(answer.body).includes('could not be added')], why).toEqual([422, true])
  }
})

test('a passkey counts as both factors, and its page requires a recent sign-in', async () => {
  const { browser } = await memberWithPasskey('recent')
  await app.advance(15 * 60_000)
  expect((await browser.go(path)).headers['location']).toMatch(/^\/auth\/sign-in\?/)
})

test('the pages with passkeys run only their own script', async () => {
  const { headers } = await visitorOf(app).go('/auth/sign-in')
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'sha256-[\w+/=]+'; /)
  expect((await visitorOf(app).go('/auth/reset')).headers['content-security-policy']).not.toContain('script-src')
})

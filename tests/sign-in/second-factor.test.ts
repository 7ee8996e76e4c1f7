import { TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { mailServer } from '../harness/mail.ts'
import type { Caller } from '../harness/people.ts'
import { hiddenFields, visitorOf } from '../harness/visitor.ts'

const mail = await mailServer()
const app = await startApp({ mail: { smtpUrl: mail.url, from: 'Kontor <kontor@example.com>' } })
const password = 'quiet rivers run deep'
const path = '/auth/account/second-factor'

const codeOf = (secret: string): string =>
  new TOTP({ secret, digits: 6, period: 30 }).generate({ timestamp: app.now() })

/** A member with a second factor, the browser in which it was turned on, and the recovery codes. */
async function protectedMember(name: string) {
  await app.addMember('member', name, password)
  const email = `${name}@example.com`
  const browser = visitorOf(app)
  await browser.signIn(email, password)
  const page = String((await browser.go(path)).body)
  const [, secret = ''] = /<code>([A-Z2-7]{32})<\/code>/.exec(page) ?? []
  const answer = await browser.submit(path, { code: codeOf(secret) })
  const codes = String(answer.body).match(/\b[a-z02-9]{4}(-[a-z02-9]{4}){3}\b/g) ?? []
  await mail.next()
  await app.advance(30_000)
  return { email, browser, secret, codes, page }
}

/** Takes the first step in a new browser. */
async function firstStep(email: string) {
  const browser = visitorOf(app)
  const answer = await browser.signIn(email, password)
  expect([answer.status, browser.cookies.has('kontor_session')]).toEqual([200, false])
  expect(answer.body).toContain('Enter your code')
  return browser
}

test('a person with a second factor signs in by their password and a code, each of which works once', async () => {
  const { email, secret, codes, page } = await protectedMember('grace')
  expect(page).toContain('<svg class="qr"')
  expect(codes).toHaveLength(10)
  const browser = await firstStep(email)
  expect((await browser.submit('/auth/sign-in/code', { code: '000000' })).status).toBe(422)
  const code = codeOf(secret)
  expect((await browser.submit('/auth/sign-in/code', { code })).status).toBe(303)
  expect((await browser.go('/auth/account')).body).toContain(email)
  const second = await firstStep(email)
  expect((await second.submit('/auth/sign-in/code', { code })).status, 'used before').toBe(422)
  const [recovery = ''] = codes
  expect(
    (await second.submit('/auth/sign-in/code', { code: recovery.toUpperCase().replaceAll('-', ' ') })).status,
  ).toBe(303)
  const third = await firstStep(email)
  expect((await third.submit('/auth/sign-in/code', { code: recovery })).status, 'used before').toBe(422)
})

test('ten wrong codes lock the second step for fifteen minutes', async () => {
  const { email, secret } = await protectedMember('guessed')
  const browser = await firstStep(email)
  for (let wrong = 0; wrong < 10; wrong++)
    expect((await browser.submit('/auth/sign-in/code', { code: '000000' })).status).toBe(422)
  expect((await browser.submit('/auth/sign-in/code', { code: codeOf(secret) })).status).toBe(429)
  await app.advance(15 * 60_000)
  const later = await firstStep(email)
  expect((await later.submit('/auth/sign-in/code', { code: codeOf(secret) })).status).toBe(303)
})

test('the second step ends ten minutes after the first, and with a new password', async () => {
  const { email, secret } = await protectedMember('slow')
  const late = await firstStep(email)
  await app.advance(10 * 60_000)
  const answer = await late.submit('/auth/sign-in/code', { code: codeOf(secret) })
  expect([answer.status, answer.headers['location']]).toEqual([303, expect.stringMatching(/^\/auth\/sign-in\?/)])
  const before = await firstStep(email)
  const { url } = await app.oauth.admin.passwordLink(email)
  const changing = visitorOf(app)
  await changing.go(url.slice(app.origin.length))
  await app.advance(1000)
  expect((await changing.submit('/auth/password', { password: 'loud mountains stand still' })).status).toBe(303)
  expect(changing.cookies.has('kontor_session')).toBe(false)
  await before.submit('/auth/sign-in/code', { code: codeOf(secret) })
  expect(before.cookies.has('kontor_session')).toBe(false)
})

test('turning it off takes a code; the person is told by e-mail of both', async () => {
  await app.addMember('member', 'ada', password)
  const browser = visitorOf(app)
  await browser.signIn('ada@example.com', password)
  const [, secret = ''] = /<code>([A-Z2-7]{32})<\/code>/.exec(String((await browser.go(path)).body)) ?? []
  expect((await browser.submit(path, { code: '000000' })).status).toBe(422)
  expect((await browser.submit(path, { code: codeOf(secret) })).body).toContain('Keep these recovery codes')
  expect((await mail.next()).text).toContain('turned on')
  await app.advance(30_000)
  await browser.go(path)
  const remove = async (code: string) => {
    const { _csrf = '' } = hiddenFields(String((await browser.go(path)).body), `${path}/codes`)
    return browser.post(`${path}/remove`, { _csrf, code })
  }
  expect((await remove('000000')).status).toBe(422)
  expect((await remove(codeOf(secret))).headers['location']).toBe('/auth/account?notice=factor-off')
  expect((await mail.next()).text).toContain('turned off')
  expect((await visitorOf(app).signIn('ada@example.com', password)).status).toBe(303)
})

test('admins and the person see that it is on; other members do not', async () => {
  const { email } = await protectedMember('seen')
  const shownTo = async (as: Caller) => {
    const { body } = await app.api.get('/workspaces/acme/users', { as, query: { 'page[limit]': 500 } })
    const one = body.data.find((user: Json) => user.attributes.email === email)
    const { body: alone } = await app.api.get(`/workspaces/acme/users/${one.id}`, { as })
    expect(alone.data.attributes.second_factor).toBe(one.attributes.second_factor)
    return one.attributes.second_factor
  }
  const { access_token: token } = await app.oauth.admin.token(email)
  expect(await shownTo('admin')).toBe(true)
  expect(await shownTo({ authorization: `Bearer ${token}` })).toBe(true)
  expect(await shownTo('member')).toBe(null)
})

test('an operator turns it off for a person who has lost everything', async () => {
  const { email } = await protectedMember('lost')
  await app.oauth.admin.removeSecondFactor(email)
  expect((await visitorOf(app).signIn(email, password)).status).toBe(303)
  await expect(app.oauth.admin.removeSecondFactor(email)).rejects.toThrow('has no second factor')
})

test('neither the secret nor the recovery codes can be read where they are stored', async () => {
  const { secret, codes } = await protectedMember('stored')
  const dump = JSON.stringify(await app.signInRows())
  expect(dump).toContain('sealed')
  for (const one of [secret, ...codes, ...codes.map((code) => code.replaceAll('-', ''))])
    expect(dump).not.toContain(one)
})

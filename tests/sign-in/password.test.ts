import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { mailServer } from '../harness/mail.ts'
import { visitorOf } from '../harness/visitor.ts'

const app = await startApp()
const password = 'quiet rivers run deep'
const next = 'loud mountains stand still'
const visitor = () => visitorOf(app)

/** Asks for a link, and waits until it is in the log. */
async function linkFor(email: string): Promise<string> {
  const known = app.loggedLinks.length
  const browser = visitor()
  await browser.go('/auth/reset')
  expect((await browser.submit('/auth/reset', { email })).status).toBe(200)
  await expect.poll(() => app.loggedLinks.length).toBeGreaterThan(known)
  return (app.loggedLinks.at(-1) as string).slice(app.origin.length)
}

async function choose(link: string, chosen: string) {
  const browser = visitor()
  await browser.go(link)
  return browser.submit('/auth/password', { password: chosen })
}

test('a link from the log sets a password, once; all sessions end, and the address is unlocked', async () => {
  await app.addMember('member', 'grace', password)
  const elsewhere = visitor()
  await elsewhere.signIn('grace@example.com', password)
  for (let wrong = 0; wrong < 10; wrong++) await visitor().signIn('grace@example.com', 'not the password')
  const [first, link] = [await linkFor('grace@example.com'), await linkFor(' GRACE@example.com ')]

  const { body } = await visitor().go(link)
  expect(body).toContain('<h1>Choose a new password</h1>')
  expect(body).toContain('You will be signed out everywhere else')
  const answer = await choose(link, next)
  expect([answer.status, answer.headers['location']]).toEqual([
    303,
    '/auth/sign-in?return_to=%2Fauth%2Faccount%3Fnotice%3Dpassword&notice=password',
  ])
  expect((await elsewhere.go('/auth/account')).status).toBe(303)
  expect((await visitor().signIn('grace@example.com', password)).status).toBe(422)
  expect((await visitor().signIn('grace@example.com', next)).status).toBe(303)
  for (const used of [first, link]) expect((await visitor().go(used)).status).toBe(404)
})

test('of two who use a link at once one sets the password', async () => {
  await app.addMember('member', 'twice')
  const link = await linkFor('twice@example.com')
  const browsers = [visitor(), visitor(), visitor()]
  for (const browser of browsers) await browser.go(link)
  const answers = await Promise.all(
    browsers.map((browser, index) => browser.submit('/auth/password', { password: `${next} ${index}` })),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 404, 404])
})

test('who sets the first password is signed in', async () => {
  await app.addMember('member', 'fresh')
  const browser = visitor()
  const { body } = await browser.go(await linkFor('fresh@example.com'))
  expect(body).toContain('<h1>Choose a password</h1>')
  expect(body).not.toContain('signed out everywhere else')
  const answer = await browser.submit('/auth/password', { password: next })
  expect([answer.status, answer.headers['location']]).toEqual([303, '/auth/account'])
  expect((await browser.go('/auth/account')).body).toContain('fresh@example.com')
})

test('looking at a link does not use it up, and an hour does', async () => {
  await app.addMember('member', 'late')
  const link = await linkFor('late@example.com')
  expect([(await visitor().go(link)).status, (await visitor().go(link)).status]).toEqual([200, 200])
  const browser = visitor()
  await browser.go(link)
  await app.advance(3_600_000)
  expect((await browser.submit('/auth/password', { password: next })).status).toBe(404)
  expect((await visitor().go(link)).status).toBe(404)
})

const ask = async (email: string) => {
  const browser = visitor()
  await browser.go('/auth/reset')
  const { status, body } = await browser.submit('/auth/reset', { email })
  return [status, body]
}

test('an address is sent at most five links an hour', async () => {
  await app.addMember('member', 'flooded')
  for (let asked = 0; asked < 5; asked++) await linkFor('flooded@example.com')
  const known = app.loggedLinks.length
  const browser = visitor()
  await browser.go('/auth/reset')
  expect((await browser.submit('/auth/reset', { email: 'flooded@example.com' })).status).toBe(200)
  // A sixth would have come before this one.
  await app.addMember('member', 'after')
  await linkFor('after@example.com')
  expect(app.loggedLinks.length).toBe(known + 1)
  await app.advance(3_600_000)
  await linkFor('flooded@example.com')
})

test('whether anyone has an address is not told', async () => {
  await app.addMember('member', 'known')
  expect(await ask('known@example.com')).toEqual(await ask('unknown@example.com'))
})

test.for(['', 'no-address', 'a b@example.com', `${'a'.repeat(250)}@example.com`])(
  '422 for the address "%s", at its field',
  async (email) => {
    const browser = visitor()
    await browser.go('/auth/reset')
    const { status, body } = await browser.submit('/auth/reset', { email })
    expect(status).toBe(422)
    expect(body).toContain('aria-invalid="true" autofocus aria-describedby="email-error"')
    expect(body).toContain('id="email-error">Enter an e-mail address')
  },
)

test.for(['too short', 'passwordpassword', 'fussy-20@example.com', 'x'.repeat(1001)])(
  '422 for the password %s, at its field, and the link still works',
  async (weak) => {
    const { id } = await app.addMember('member', `fussy-${weak.length}`)
    expect(id).toBeDefined()
    const link = await linkFor(`fussy-${weak.length}@example.com`)
    const refused = await choose(link, weak)
    expect(refused.status).toBe(422)
    expect(refused.body).toContain('aria-invalid="true" autofocus aria-describedby="password-error"')
    expect(refused.body.match(/at least 12 characters/gi) ?? []).toHaveLength(weak === 'too short' ? 1 : 0)
    expect(refused.body).not.toContain('need your attention')
    expect((await choose(link, next)).status).toBe(303)
  },
)

test('one spelling of a password is as good as another that looks the same', async () => {
  await app.addMember('member', 'accented', 'crème brûlée für zwölf'.normalize('NFD'))
  expect((await visitor().signIn('accented@example.com', 'crème brûlée für zwölf'.normalize('NFC'))).status).toBe(303)
})

test('with SMTP the link goes by e-mail, and nowhere else', async () => {
  const mail = await mailServer()
  const sending = await startApp({ mail: { smtpUrl: mail.url, from: 'Kontor <kontor@example.com>' } })
  await sending.addMember('member', 'mailed')
  const browser = visitorOf(sending)
  await browser.go('/auth/reset')
  await browser.submit('/auth/reset', { email: 'mailed@example.com' })
  const { from, to, text } = await mail.next()
  expect([from, to]).toEqual(['kontor@example.com', ['mailed@example.com']])
  expect(text).toMatch(/^Subject: Choose a new password\r?$/m)
  const [link = ''] = /http:\S+\/auth\/password\?token=[\w-]{43}/.exec(text) ?? []
  await browser.go(link)
  expect((await browser.submit('/auth/password', { password: next })).status).toBe(303)
  expect(sending.loggedLinks).toEqual([])
})

test('a mail server that is away fails no request', async () => {
  const sending = await startApp({ mail: { smtpUrl: 'smtp://127.0.0.1:1', from: 'kontor@example.com' } })
  await sending.addMember('member', 'mailed')
  const browser = visitorOf(sending)
  await browser.go('/auth/reset')
  expect((await browser.submit('/auth/reset', { email: 'mailed@example.com' })).status).toBe(200)
  await expect.poll(() => sending.takeErrors().join()).toMatch(/ECONNREFUSED/)
})

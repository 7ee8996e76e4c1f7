import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { mailServer } from '../harness/mail.ts'
import { hiddenFields, visitorOf } from '../harness/visitor.ts'

const app = await startApp()
const { api } = app
const password = 'quiet rivers run deep'

async function invite(
  email: string,
  more: Json = {},
  workspace = 'acme',
  as: 'admin' | 'stranger' = 'admin',
): Promise<string> {
  const { status, body } = await api.post(`/workspaces/${workspace}/invitations`, { as, body: { email, ...more } })
  expect(status).toBe(201)
  return body.data.attributes.accept_url.slice(app.origin.length)
}

const memberOf = async (workspace: string, email: string, as: 'admin' | 'stranger' = 'admin'): Promise<Json> =>
  (await api.get(`/workspaces/${workspace}/users`, { as, query: { 'page[limit]': 500 } })).body.data.find(
    ({ attributes }: Json) => attributes.email === email,
  )

test('a person without an account makes one with a name and a password, and is in', async () => {
  const link = await invite('grace@example.com', { role: 'viewer', name: 'Grace Hopper' })
  const browser = visitorOf(app)
  const page = await browser.go(link)
  for (const text of ['Join Acme', 'Ada Admin', 'grace@example.com', 'Viewer', 'value="Grace Hopper"'])
    expect(page.body).toContain(text)
  await app.events()
  const answer = await browser.submit('/auth/invitation', { name: 'Grace B. Hopper', password })
  expect([answer.status, answer.headers['location']]).toEqual([303, '/auth/account'])
  expect((await browser.go('/auth/account')).body).toContain('grace@example.com')

  const member = await memberOf('acme', 'grace@example.com')
  expect(member.attributes).toMatchObject({
    name: { first_name: 'Grace B.', last_name: 'Hopper', full_name: 'Grace B. Hopper' },
    roles: { items: ['viewer'] },
    email_verified: false,
  })
  expect((await api.get(`/workspaces/acme/objects/user/resources/${member.id}`)).body.data.attributes.name).toBe(
    'Grace B. Hopper',
  )
  expect(await app.events()).toMatchObject([
    { type: 'member.joined', object: 'user', record_id: member.id, payload: { role: 'viewer' } },
  ])
  expect((await api.get('/workspaces/acme/invitations')).body.data).toEqual([])
  expect((await visitorOf(app).signIn('grace@example.com', password)).status).toBe(303)
  // It has worked once.
  expect((await visitorOf(app).go(link)).status).toBe(404)
})

test('what is wrong is said at its field, and nothing has happened', async () => {
  const link = await invite('fussy@example.com')
  const browser = visitorOf(app)
  await browser.go(link)
  const { status, body } = await browser.submit('/auth/invitation', { name: ' ', password: 'fussy@example.com' })
  expect(status).toBe(422)
  expect(body).toContain('2 things need your attention')
  expect(body).toContain('aria-describedby="name-error"')
  expect(body).toContain('aria-describedby="password-error"')
  expect(await memberOf('acme', 'fussy@example.com')).toBeUndefined()
})

test('of two who follow a link at once one comes in, and once', async () => {
  const link = await invite('twice@example.com')
  const browsers = [visitorOf(app), visitorOf(app), visitorOf(app)]
  for (const browser of browsers) await browser.go(link)
  const answers = await Promise.all(
    browsers.map((browser, index) =>
      browser.submit('/auth/invitation', { name: `Twin ${index}`, password: `${password} ${index}` }),
    ),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 404, 404])
  const all = await api.get('/workspaces/acme/users', { query: { 'page[limit]': 500 } })
  expect(all.body.data.filter(({ attributes }: Json) => attributes.email === 'twice@example.com')).toHaveLength(1)
})

test('a person with an account signs in and accepts; the link alone changes no password', async () => {
  await app.addMember('member', 'ada', password)
  const link = await invite('Ada@example.com', { role: 'admin' }, 'other', 'stranger')
  const browser = visitorOf(app)
  const page = await browser.go(link)
  expect(page.body).toContain(`href="/auth/sign-in?return_to=${encodeURIComponent(link)}"`)
  const { _csrf = '' } = hiddenFields(String((await browser.go('/auth/sign-in')).body), '/auth/sign-in')
  const hijacked = await browser.post('/auth/invitation', {
    _csrf,
    token: link.split('token=')[1] as string,
    name: 'Mallory',
    password: 'another password',
  })
  expect([hijacked.status, hijacked.body]).toEqual([
    200,
    expect.stringContaining('There is an account with this address.'),
  ])
  await browser.go(`/auth/sign-in?return_to=${encodeURIComponent(link)}`)
  expect((await browser.submit('/auth/sign-in', { email: 'ada@example.com', password })).status).toBe(200)
  const offered = await browser.go(link)
  expect(offered.body).toContain('Join Other')
  const answer = await browser.submit('/auth/invitation/accept')
  expect([answer.status, answer.headers['location']]).toEqual([303, '/auth/account?notice=joined'])
  expect((await memberOf('other', 'ada@example.com', 'stranger')).attributes.roles).toEqual({ items: ['admin'] })
  expect((await visitorOf(app).signIn('ada@example.com', password)).status).toBe(303)
})

test('an account with another address cannot accept', async () => {
  await app.addMember('member', 'eve', password)
  await app.addMember('member', 'invited', password)
  const link = await invite('invited@example.com', {}, 'other', 'stranger')
  const browser = visitorOf(app)
  await browser.signIn('eve@example.com', password)
  const page = await browser.go(link)
  expect(page.body).toContain('You are signed in as eve@example.com; this invitation is for invited@example.com.')
  await browser.go('/auth/account')
  const { _csrf = '' } = hiddenFields(String((await browser.go('/auth/account')).body), '/auth/account/name')
  expect(
    (await browser.post('/auth/invitation/accept', { _csrf, token: link.split('token=')[1] as string })).status,
  ).toBe(404)
  expect(await memberOf('other', 'eve@example.com', 'stranger')).toBeUndefined()
  expect((await visitorOf(app).go(link)).status).toBe(200)
})

test('who has become a member on another way keeps the role, and the link ends', async () => {
  const link = await invite('quick@example.com', { role: 'admin' })
  await app.addMember('viewer', 'quick', password)
  const browser = visitorOf(app)
  await browser.signIn('quick@example.com', password)
  await browser.go(link)
  expect((await browser.submit('/auth/invitation/accept')).status).toBe(303)
  expect((await memberOf('acme', 'quick@example.com')).attributes.roles).toEqual({ items: ['viewer'] })
})

test('seven days, and it is over', async () => {
  const link = await invite('late@example.com')
  const browser = visitorOf(app)
  await browser.go(link)
  await app.advance(7 * 86_400_000)
  expect((await browser.submit('/auth/invitation', { name: 'Late', password })).status).toBe(404)
  expect((await visitorOf(app).go(link)).status).toBe(404)
  expect(await memberOf('acme', 'late@example.com')).toBeUndefined()
})

const linkOf = (text: string): string => /http:\S+\/auth\/invitation\?token=[\w-]{43}/.exec(text)?.[0] ?? ''

test('with SMTP the link goes to the address alone', async () => {
  const mail = await mailServer()
  const sending = await startApp({ mail: { smtpUrl: mail.url, from: 'Kontor <kontor@example.com>' } })
  const { body } = await sending.api.post('/workspaces/acme/invitations', { body: { email: 'mailed@example.com' } })
  expect(body.data.attributes.accept_url).toBeNull()
  const first = await mail.next()
  expect(first.to).toEqual(['mailed@example.com'])
  expect(first.text).toMatch(/^Subject: Ada Admin invites you to Acme\r?$/m)
  const again = await sending.api.post(`/workspaces/acme/invitations/${body.data.id}/resend`)
  expect(again.body.data.attributes.accept_url).toBeNull()
  const second = await mail.next()
  const browser = visitorOf(sending)
  expect((await browser.go(linkOf(first.text))).status).toBe(404)
  await browser.go(linkOf(second.text))
  expect((await browser.submit('/auth/invitation', { name: 'Mailed', password })).status).toBe(303)
  const [member] = (await sending.api.get('/workspaces/acme/users')).body.data.slice(-1)
  expect(member.attributes).toMatchObject({ email: 'mailed@example.com', email_verified: true })
})

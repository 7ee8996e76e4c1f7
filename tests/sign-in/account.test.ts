import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey } from '../harness/people.ts'
import { hiddenFields, visitorOf } from '../harness/visitor.ts'

const app = await startApp()
const { api } = app
const password = 'quiet rivers run deep'
const firefox = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' }

async function signedIn(name: string, headers: Record<string, string> = {}) {
  const browser = visitorOf(app, headers)
  expect((await browser.signIn(`${name}@example.com`, password)).status).toBe(303)
  return browser
}

const page = async (browser: Awaited<ReturnType<typeof signedIn>>) => String((await browser.go('/auth/account')).body)

/** The id that the button beside a text sends. */
const idBeside = (body: string, text: string, path: string): string =>
  new RegExp(`${text}[\\s\\S]*?action="/auth/account/${path}"[\\s\\S]*?name="id" value="([^"]*)"`).exec(body)?.[1] ?? ''

test('a name is changed everywhere: for members, in their record of each workspace, in the log of events', async () => {
  const grace = await app.addMember('member', 'grace', password)
  const browser = await signedIn('grace')
  await app.events()
  await page(browser)
  const answer = await browser.submit('/auth/account/name', { name: '  Rear Admiral Hopper ' })
  expect([answer.status, answer.headers['location']]).toEqual([303, '/auth/account?notice=name'])
  expect((await api.get(`/workspaces/acme/users/${grace.id}`)).body.data.attributes.name).toEqual({
    first_name: 'Rear Admiral',
    last_name: 'Hopper',
    full_name: 'Rear Admiral Hopper',
  })
  expect((await api.get(`/workspaces/acme/objects/user/resources/${grace.id}`)).body.data.attributes).toMatchObject({
    name: 'Rear Admiral Hopper',
    roles: { items: ['member'] },
  })
  const found = await api.get('/workspaces/acme/objects/user/resources', {
    query: { 'filter[name]': 'rear admiral hopper' },
  })
  expect(found.body.data.map(({ id }: Json) => id)).toEqual([grace.id])
  expect(await app.events()).toMatchObject([
    { type: 'member.updated', record_id: grace.id, payload: { name: 'Rear Admiral Hopper', previous_name: 'grace' } },
  ])
})

test.for(['', '   ', 'x'.repeat(201), 'a\u0007bc'])('422 for the name "%s", at its field', async (name) => {
  await app.addMember('member', `name-${[...name].length}-${name.trim().length}`, password)
  const browser = await signedIn(`name-${[...name].length}-${name.trim().length}`)
  await page(browser)
  const { status, body } = await browser.submit('/auth/account/name', { name })
  expect([status, body]).toEqual([422, expect.stringContaining('aria-describedby="name-error"')])
})

test('a new password needs the old one, and ends the other sessions', async () => {
  await app.addMember('member', 'ada', password)
  const [browser, other] = [await signedIn('ada'), await signedIn('ada', firefox)]
  await page(browser)
  const wrong = await browser.submit('/auth/account/password', {
    current: 'not the password',
    password: 'loud mountains stand still',
  })
  expect([wrong.status, wrong.body]).toEqual([
    422,
    expect.stringContaining('id="current-error">This is not your password.'),
  ])
  const weak = await browser.submit('/auth/account/password', { current: password, password: 'short' })
  expect([weak.status, weak.body]).toEqual([422, expect.stringContaining('id="password-error"')])
  expect((await other.go('/auth/account')).status).toBe(200)
  const before = browser.cookies.get('kontor_session')
  const changed = await browser.submit('/auth/account/password', {
    current: password,
    password: 'loud mountains stand still',
  })
  expect([changed.status, changed.headers['location']]).toEqual([303, '/auth/account?notice=password'])
  expect(browser.cookies.get('kontor_session')).not.toBe(before)
  expect((await browser.go('/auth/account')).status).toBe(200)
  expect((await other.go('/auth/account')).status).toBe(303)
})

test('wrong passwords are counted here as well', async () => {
  await app.addMember('member', 'guessed', password)
  const browser = await signedIn('guessed')
  await page(browser)
  for (let wrong = 0; wrong < 10; wrong++)
    await browser.submit('/auth/account/password', {
      current: 'not the password',
      password: 'loud mountains stand still',
    })
  const locked = await browser.submit('/auth/account/password', {
    current: password,
    password: 'loud mountains stand still',
  })
  expect([locked.status, locked.body]).toEqual([422, expect.stringContaining('Wait 15 minutes.')])
})

test('sessions are listed with their browsers, and end one by one', async () => {
  await app.addMember('member', 'busy', password)
  const [browser, other] = [await signedIn('busy'), await signedIn('busy', firefox)]
  const body = await page(browser)
  expect(body).toContain('Firefox on Linux')
  expect(body.match(/This browser/g)).toHaveLength(1)
  const id = idBeside(body, 'Firefox on Linux', 'session')
  const answer = await browser.submit('/auth/account/session', { id })
  expect(answer.headers['location']).toBe('/auth/account?notice=session')
  expect((await other.go('/auth/account')).status).toBe(303)
  expect(await page(browser)).not.toContain('Firefox on Linux')
})

test('personal keys are listed, and revoked at once, of which the log tells', async () => {
  const { as, id: person } = await app.addMember('viewer', 'keeper', password)
  const attributes = { name: 'Nightly import' }
  const created = await api.post('/workspaces/acme/api-keys', { as, body: { data: { type: 'api-key', attributes } } })
  const key = { authorization: `api-key ${created.body.data.attributes.cleartext_api_key}` }
  expect((await api.get('/workspaces/acme/users', { as: key })).status).toBe(200)
  const browser = await signedIn('keeper')
  const body = await page(browser)
  expect(body).toContain('Nightly import')
  await app.events()
  await browser.submit('/auth/account/key', { id: idBeside(body, 'Nightly import', 'key') })
  expect(await app.events()).toMatchObject([
    {
      type: 'api_key.revoked',
      object: 'api-key',
      record_id: created.body.data.id,
      payload: { name: 'Nightly import', actor_type: 'user', user_id: person },
      actor: { id: person, kind: 'user' },
    },
  ])
  expect((await api.get('/workspaces/acme/users', { as: key })).status).toBe(401)
  expect(await page(browser)).toContain('You have no personal API keys.')
})

test("one person does not end another person's session or key", async () => {
  const victim = await app.addMember('member', 'victim', password)
  await app.addMember('member', 'mallory', password)
  const theirs = await signedIn('victim')
  const keyId = (await createKey(api.post, 'admin')).id
  const [session] = (await app.signInRows()).filter(
    (row) => (row as Json).user_id === victim.id && 'user_agent' in (row as Json),
  ) as Json[]
  await page(await signedIn('mallory'))
  const browser = await signedIn('mallory')
  const form = await page(browser)
  expect(form).not.toContain(session.id)
  const { _csrf = '' } = hiddenFields(form, '/auth/account/name')
  for (const [path, id] of [
    ['session', session.id],
    ['key', keyId],
    ['session', 'nonsense'],
    ['key', ''],
    ['app', 'x'],
  ]) {
    expect((await browser.post(`/auth/account/${path}`, { _csrf, id: id as string })).status).toBe(303)
  }
  expect((await theirs.go('/auth/account')).status).toBe(200)
  expect((await api.get(`/workspaces/acme/api-keys/${keyId}`)).status).toBe(200)
})

test.for(['name', 'password', 'session', 'key', 'app'])('who is signed out changes nothing: %s', async (what) => {
  const browser = visitorOf(app)
  await browser.go('/auth/sign-in')
  const { _csrf = '' } = hiddenFields(String((await browser.go('/auth/sign-in')).body), '/auth/sign-in')
  const answer = await browser.post(`/auth/account/${what}`, {
    _csrf,
    name: 'x',
    id: 'x',
    password: 'loud mountains stand still',
    current: password,
  })
  expect([answer.status, answer.headers['location']]).toEqual([303, '/auth/sign-in?return_to=%2Fauth%2Faccount'])
})

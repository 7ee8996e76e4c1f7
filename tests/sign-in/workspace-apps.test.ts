import { describe, expect, test } from 'vitest'
import * as oauth from 'openid-client'
import { startApp } from '../harness/app.ts'
import { appAddress, ask, connect, type ThirdParty } from '../harness/oauth.ts'
import { hiddenFields, visitorOf } from '../harness/visitor.ts'

const app = await startApp()
const password = 'quiet rivers run deep'
const path = '/auth/account/workspaces/acme/apps'
const wish = {
  name: 'Mail Merge',
  redirect_uris: `${appAddress}\r\n\r\nhttp://localhost:3000/cb`,
  type: 'confidential',
  'scopes:records:read': 'on',
}

async function signedIn(name: string, role: 'admin' | 'member' = 'admin') {
  const { id } = await app.addMember(role, name, password)
  const browser = visitorOf(app)
  await browser.signIn(`${name}@example.com`, password)
  return { browser, id }
}

const pathOf = (id: string, what: 'rotate' | 'remove'): string => `${path}/${id}/${what}`

type Browser = ReturnType<typeof visitorOf>
const valueOf = (page: unknown, name: string): string =>
  new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(String(page))?.[1] ?? ''
const shownIn = (page: unknown, label: string): string =>
  new RegExp(`<dt>${label}</dt><dd[^>]*><code>([^<]*)<`).exec(String(page))?.[1] ?? ''
const clientIdIn = (page: unknown): string => shownIn(page, 'Client id')
const secretIn = (page: unknown): string => shownIn(page, 'Client secret')

async function register(browser: Browser, given: Record<string, string>) {
  await browser.go(`${path}/new`)
  const answer = await browser.submit(`${path}/new`, { ...wish, ...given })
  return { answer, id: clientIdIn(answer.body), secret: secretIn(answer.body) }
}

async function party(clientId: string, secret: string): Promise<ThirdParty> {
  const config = await oauth.discovery(new URL(app.origin), clientId, undefined, oauth.ClientSecretBasic(secret), {
    execute: [oauth.allowInsecureRequests],
  })
  return { clientId, secret, config, redirectUri: appAddress }
}

const admin = await signedIn('registrar')
const scope = 'openid offline_access records:read'

test('an admin registers an app, rotates its secret, and removes it with all that members gave it', async () => {
  const { answer, id, secret } = await register(admin.browser, { name: 'Whole way' })
  expect([answer.status, secret.startsWith('kcs_')]).toEqual([200, true])
  const third = await party(id, secret)
  const tokens = await connect(third, await app.oauth.visitor('member'), scope)
  const read = async () =>
    (
      await app.api.get('/workspaces/acme/objects/person/resources', {
        as: { authorization: `Bearer ${tokens.access_token}` },
      })
    ).status
  expect(await read()).toBe(200)
  const page = String((await admin.browser.go(path)).body)
  for (const text of ['Whole way', 'Used by 1 person', 'http://localhost:3000/cb']) expect(page).toContain(text)
  expect(page).not.toContain(secret)
  await admin.browser.go(`${path}/${id}/rotate`)
  const next = secretIn((await admin.browser.submit(`${path}/${id}/rotate`)).body)
  await expect(oauth.refreshTokenGrant(third.config, tokens.refresh_token as string)).rejects.toThrow()
  expect(
    (await oauth.refreshTokenGrant((await party(id, next)).config, tokens.refresh_token as string)).access_token,
  ).toBeTypeOf('string')
  await admin.browser.go(`${path}/${id}/remove`)
  expect((await admin.browser.submit(`${path}/${id}/remove`)).headers['location']).toBe(`${path}?notice=removed`)
  expect([await read(), String((await admin.browser.go(path)).body).includes(id)]).toEqual([401, false])
})

test('a member of another workspace cannot let it in, and is not sent on', async () => {
  const { id, secret } = await register(admin.browser, { name: 'Ours alone' })
  const visitor = await app.oauth.visitor('stranger')
  const page = await visitor.open((await ask(await party(id, secret), scope)).url)
  expect([page.status, page.location]).toEqual([403, null])
})

test(
  'a member who leaves the workspace leaves the app: what they said before counts no more, nor does what it ' +
    'was given',
  async () => {
    const { id, secret } = await register(admin.browser, { name: 'Left behind' })
    const third = await party(id, secret)
    const leaver = await app.addMember('member', 'leaver', password)
    const visitor = await app.oauth.visitorOf(leaver.id)
    const tokens = await connect(third, visitor, scope)
    expect((await visitor.open((await ask(third, scope)).url)).location, 'they are not asked twice').toContain('code=')
    expect((await admin.browser.go(pathOf(id, 'remove'))).body).toContain('Used by 1 person')
    expect((await app.api.delete(`/workspaces/acme/users/${leaver.id}`)).status).toBe(200)
    expect((await admin.browser.go(pathOf(id, 'remove'))).body).toContain('Not used by any member yet')
    const again = await visitor.open((await ask(third, scope)).url)
    expect([again.status, again.location]).toEqual([403, null])
    await expect(oauth.refreshTokenGrant(third.config, tokens.refresh_token as string)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  },
)

describe('a form that is sent twice', () => {
  test.for(['one after the other', 'at once'] as const)(
    'registers one app, and the second answer shows the same secret (%s)',
    async (when) => {
      await admin.browser.go(`${path}/new`)
      const page = String((await admin.browser.go(`${path}/new`)).body)
      const send = () =>
        admin.browser.post(`${path}/new`, { ...hiddenFields(page, `${path}/new`), ...wish, name: `Twice ${when}` })
      const [first, second] = when === 'at once' ? await Promise.all([send(), send()]) : [await send(), await send()]
      expect([first.status, second.status]).toEqual([200, 200])
      expect([clientIdIn(second.body), secretIn(second.body)]).toEqual([clientIdIn(first.body), secretIn(first.body)])
      expect(String((await admin.browser.go(path)).body).match(new RegExp(`<strong>Twice ${when}<`, 'g'))).toHaveLength(
        1,
      )
      await connect(
        await party(clientIdIn(second.body), secretIn(second.body)),
        await app.oauth.visitor('member'),
        scope,
      )
    },
  )

  test.for(['one after the other', 'at once'] as const)(
    'makes one new secret, and the second answer shows the same (%s)',
    async (when) => {
      const { id } = await register(admin.browser, { name: `Hasty ${when}` })
      const page = String((await admin.browser.go(pathOf(id, 'rotate'))).body)
      const send = () => admin.browser.post(pathOf(id, 'rotate'), hiddenFields(page, pathOf(id, 'rotate')))
      const [first, second] = when === 'at once' ? await Promise.all([send(), send()]) : [await send(), await send()]
      expect([first.status, second.status, secretIn(second.body)]).toEqual([200, 200, secretIn(first.body)])
      await connect(await party(id, secretIn(second.body)), await app.oauth.visitor('member'), scope)
    },
  )

  test('removes once, and says so each time', async () => {
    const { id } = await register(admin.browser, { name: 'Gone' })
    await admin.browser.go(pathOf(id, 'remove'))
    const answers = [await admin.browser.submit(pathOf(id, 'remove')), await admin.browser.submit(pathOf(id, 'remove'))]
    expect(answers.map(({ headers }) => headers['location'])).toEqual([
      `${path}?notice=removed`,
      `${path}?notice=removed`,
    ])
  })

  test('with something else in it registers nothing, says so, and does when it is sent once more', async () => {
    const page = String((await admin.browser.go(`${path}/new`)).body)
    const send = (name: string) =>
      admin.browser.post(`${path}/new`, { ...hiddenFields(page, `${path}/new`), ...wish, name })
    await send('Before')
    const refused = await send('After')
    expect([refused.status, String(refused.body).includes('This form has already registered an app')]).toEqual([
      422,
      true,
    ])
    expect((await admin.browser.submit(`${path}/new`, { ...wish, name: 'After' })).status).toBe(200)
  })

  test('shows no secret that is over by then', async () => {
    const page = String((await admin.browser.go(`${path}/new`)).body)
    const send = () =>
      admin.browser.post(`${path}/new`, { ...hiddenFields(page, `${path}/new`), ...wish, name: 'Over' })
    const id = clientIdIn((await send()).body)
    await admin.browser.go(pathOf(id, 'rotate'))
    await admin.browser.submit(pathOf(id, 'rotate'))
    const again = await send()
    expect([again.status, String(again.body).includes('kcs_')]).toEqual([422, false])
  })

  test('by an admin who has lost the role meanwhile shows nothing', async () => {
    const { browser, id: userId } = await signedIn('loses')
    const page = String((await browser.go(`${path}/new`)).body)
    const send = () => browser.post(`${path}/new`, { ...hiddenFields(page, `${path}/new`), ...wish, name: 'Lost' })
    expect((await send()).status).toBe(200)
    await app.api.patch(`/workspaces/acme/users/${userId}`, {
      body: { data: { type: 'user', attributes: { role: 'member' } } },
    })
    const again = await send()
    expect([again.status, String(again.body).includes('kcs_')]).toEqual([404, false])
  })
})

test('two admins who make a new secret at once: one does, and the other is told', async () => {
  const { id } = await register(admin.browser, { name: 'Wanted by two' })
  const second = await signedIn('second')
  const browsers = [admin.browser, second.browser]
  for (const browser of browsers) await browser.go(pathOf(id, 'rotate'))
  const answers = await Promise.all(browsers.map((browser) => browser.submit(pathOf(id, 'rotate'))))
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409])
  const [made, told] = answers.toSorted((one, other) => one.status - other.status)
  expect(told?.body).toContain('has been replaced since this page was opened')
  await connect(await party(id, secretIn(made?.body)), await app.oauth.visitor('member'), scope)
  const after = browsers[answers.findIndex(({ status }) => status === 409)] as Browser
  expect((await after.submit(pathOf(id, 'rotate'))).status, 'who still wants one gets one').toBe(200)
})

test('a public app has no secret, and none is spoken of', async () => {
  const { answer, id } = await register(admin.browser, {
    name: 'On a phone',
    type: 'public',
    redirect_uris: 'com.example.app:/cb',
  })
  expect(answer.status).toBe(200)
  for (const text of ['Client secret', 'Copy the secret', 'Give both', 'I have copied it'])
    expect(answer.body).not.toContain(text)
  expect(String((await admin.browser.go(path)).body)).not.toContain(`${id}/rotate`)
  expect((await admin.browser.go(pathOf(id, 'rotate'))).status).toBe(404)
})

test('what is wrong is said at its field', async () => {
  const { answer } = await register(admin.browser, { name: ' ', redirect_uris: 'http://example.com/cb' })
  expect(answer.status).toBe(422)
  for (const text of ['Enter a name.', 'must begin with https://']) expect(answer.body).toContain(text)
  for (const name of ['a\u0007b', 'sys\u202egnp', 'x'.repeat(101)])
    expect((await register(admin.browser, { name })).answer.status, name).toBe(422)
})

const nowhere: [string, string][] = [
  ['to a script', 'javascript:alert(1)'],
  ['to a page in itself', 'data:text/html,x'],
  ['with user information in front', 'https://a:b@example.com/'],
  ['to a part of a page', 'https://example.com/#x'],
  ['to any host', 'https://*.example.com/'],
  ['to a scheme of its own, which keeps no secret', 'com.example.app:/cb'],
  ['to no address', '//example.com'],
  ['to one that is too long', `https://example.com/${'x'.repeat(500)}`],
  ['to too many', Array.from({ length: 21 }, (_, index) => `https://example.com/${index}`).join('\n')],
]
test.for(nowhere)('no app is registered that sends people %s', async ([, redirect_uris]) => {
  const { answer, id } = await register(admin.browser, { name: 'Leads astray', redirect_uris })
  expect([answer.status, id]).toEqual([422, ''])
  expect(answer.body).toContain('id="redirect_uris-error"')
})

test('what an admin has named an app is shown as text, on every page', async () => {
  const name = '</strong><script>alert(1)</script>"\'&'
  const { id } = await register(admin.browser, { name, redirect_uris: 'https://example.com/?a="><b>&c' })
  for (const page of [path, pathOf(id, 'rotate'), pathOf(id, 'remove')]) {
    const { body } = await admin.browser.go(page)
    expect(body).toContain('&lt;/strong&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;')
    expect(body).not.toMatch(/<script|<b>/)
  }
  const again = await register(admin.browser, { name: ' ', redirect_uris: '</textarea><script>' })
  expect(again.answer.body).toContain('&lt;/textarea&gt;&lt;script&gt;')
  expect(again.answer.body).not.toContain('<script')
})

test('other sites change nothing, nor do forms without their token', async () => {
  const { id } = await register(admin.browser, { name: 'Forged' })
  const elsewhere = visitorOf(app, { 'Sec-Fetch-Site': 'cross-site' })
  for (const [name, value] of admin.browser.cookies) elsewhere.cookies.set(name, value)
  for (const at of [`${path}/new`, pathOf(id, 'rotate'), pathOf(id, 'remove')]) {
    const hidden = hiddenFields(String((await admin.browser.go(at)).body), at)
    const answers = [
      await admin.browser.post(at, { ...wish, ...hidden, _csrf: 'x' }),
      await elsewhere.post(at, { ...wish, ...hidden }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403])
  }
})

test('members, admins of another workspace, and who is an admin no more find nothing and change nothing', async () => {
  const { id, secret } = await register(admin.browser, { name: 'Kept' })
  const [worker, demoted, outsider] = [
    await signedIn('worker', 'member'),
    await signedIn('demoted'),
    await signedIn('outsider', 'member'),
  ]
  await app.oauth.admin.addUser({ workspace: 'other', email: 'outsider@example.com', role: 'admin' })
  await app.api.patch(`/workspaces/acme/users/${demoted.id}`, {
    body: { data: { type: 'user', attributes: { role: 'member' } } },
  })
  const elsewhere = path.replace('acme', 'other')
  for (const [{ browser }, at] of [
    [worker, path],
    [demoted, path],
    [outsider, path],
    [outsider, elsewhere],
  ] as const) {
    const csrf = { _csrf: valueOf((await browser.go('/auth/account')).body, '_csrf') }
    const answers = [
      await browser.go(`${at}/${id}/rotate`),
      await browser.go(`${at}/${id}/remove`),
      await browser.post(`${at}/${id}/rotate`, csrf),
      await browser.post(`${at}/${id}/remove`, csrf),
    ]
    // To remove what is not there, or not any more, is done; the app of another workspace stays.
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, at === path ? 404 : 303])
    if (at === path)
      expect([
        (await browser.go(at)).status,
        (await browser.post(`${at}/new`, { ...csrf, ...wish, name: 'Theirs' })).status,
      ]).toEqual([404, 404])
  }
  expect((await connect(await party(id, secret), await app.oauth.visitor('member'), scope)).access_token).toBeTypeOf(
    'string',
  )
})

test('the password is asked for again after a quarter of an hour, whatever is to be done', async () => {
  const { browser } = await signedIn('left')
  const { id } = await register(browser, { name: 'Left open' })
  const pages = [`${path}/new`, pathOf(id, 'rotate'), pathOf(id, 'remove')]
  const forms = await Promise.all(pages.map(async (at) => hiddenFields(String((await browser.go(at)).body), at)))
  await app.advance(16 * 60_000)
  for (const [index, at] of pages.entries()) {
    const answers = [await browser.post(at, { ...wish, name: 'Too late', ...forms[index] }), await browser.go(at)]
    expect(answers.map(({ headers }) => headers['location'])).toEqual(
      [1, 2].map(() => `/auth/sign-in?return_to=${encodeURIComponent(at)}&again=1`),
    )
  }
  const { body } = await browser.go(path)
  expect([String(body).includes('Left open'), String(body).includes('Too late')]).toEqual([true, false])
})

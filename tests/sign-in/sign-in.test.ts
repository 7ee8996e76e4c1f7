import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { hiddenFields, visitorOf } from '../harness/visitor.ts'

const app = await startApp()

const password = 'quiet rivers run deep'
const grace = await app.addMember('member', 'grace', password)
const email = 'grace@example.com'
const visitor = (headers: Record<string, string> = {}) => visitorOf(app, headers)

/** The headers of every page: nothing is loaded, framed, sniffed or kept, and only the page's own script runs. */
function expectPage(headers: Readonly<Record<string, string | undefined>>): void {
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'content-security-policy': expect.stringMatching(
      new RegExp(
        `^default-src 'none'; (script-src 'sha256-[\\w+/=]{44}'; )?style-src 'sha256-[\\w+/=]{44}'; ` +
          `form-action 'self'; frame-ancestors 'none'; base-uri 'none'$`,
      ),
    ),
  })
}

test('the right password opens a session, in a cookie that no script and no other site gets at', async () => {
  const browser = visitor()
  const page = await browser.go('/auth/sign-in')
  expectPage(page.headers)
  expect(page.headers['set-cookie']).toMatch(/^kontor_form=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  const answer = await browser.signIn('  Grace@Example.COM ', password)
  expect([answer.status, answer.headers['location']]).toEqual([303, '/auth/account'])
  expect(answer.headers['set-cookie']).toMatch(
    /^kontor_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  const account = await browser.go('/auth/account')
  expect([account.status, account.body]).toEqual([200, expect.stringContaining(email)])
  expectPage(account.headers)
})

test('over https the cookies are secure, and bound to the host', async () => {
  const secure = await startApp({ authUrl: 'https://id.example.com' })
  const { headers } = await secure.http.send({ method: 'GET', url: `${secure.origin}/auth/sign-in` })
  expect(headers['set-cookie']).toMatch(/^__Host-kontor_form=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
})

test('below a path of AUTH_URL, pages and links are there too', async () => {
  const below = await startApp({ authUrl: 'http://127.0.0.1/id' })
  const browser = visitorOf(below)
  const page = await browser.go('/id/auth/sign-in?return_to=%2Fid%2Fauth%2Faccount')
  expect(page.body).toContain('action="/id/auth/sign-in"')
  expect(page.body).toContain('name="return_to" value="/id/auth/account"')
  expect((await browser.go('/auth/sign-in')).status).toBe(200)
})

test('a wrong password, an unknown address and one without a password are told alike', async () => {
  await app.addMember('member', 'without-password')
  const answers = await Promise.all(
    [email, 'unknown@example.com', 'without-password@example.com', 'no address', ''].map(async (address) => {
      const answer = await visitor().signIn(address, 'not the password')
      return [
        answer.status,
        String(answer.body)
          .replaceAll(/(value|data-options)="[^"]*"/g, '')
          .replace(/Request [\w-]+/, ''),
      ]
    }),
  )
  for (const answer of answers) expect(answer).toEqual(answers[0])
  expect(answers[0]?.[0]).toBe(422)
  expect(answers[0]?.[1]).toContain('The e-mail address or the password is wrong.')
})

test('ten wrong passwords lock an address for fifteen minutes, with an account or without, on every app', async () => {
  const node = await startApp({ beside: { databaseUrl: app.databaseUrl, credentials: app.credentials } })
  await app.addMember('member', 'locked', password)
  for (const address of ['locked@example.com', 'unknown-to-all@example.com']) {
    const tries = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        visitorOf(index % 2 === 0 ? app : node).signIn(address, 'not the password'),
      ),
    )
    expect(tries.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 10 }, () => 422),
      429,
      429,
    ])
  }
  expect((await visitorOf(node).signIn('locked@example.com', password)).status).toBe(429)
  await app.advance(15 * 60_000 - 5000)
  expect((await visitor().signIn('locked@example.com', password)).status).toBe(429)
  await app.advance(5000)
  expect((await visitor().signIn('locked@example.com', password)).status).toBe(303)
})

test('a right password ends the count of wrong ones', async () => {
  await app.addMember('member', 'forgetful', password)
  for (let round = 0; round < 3; round++) {
    for (let wrong = 0; wrong < 9; wrong++)
      expect((await visitor().signIn('forgetful@example.com', 'not the password')).status).toBe(422)
    expect((await visitor().signIn('forgetful@example.com', password)).status).toBe(303)
  }
})

test('ten tries a minute for each address of the network', async () => {
  const limited = await startApp({ signInsPerMinute: 10, standingStill: true })
  const browser = visitorOf(limited)
  for (let round = 0; round < 10; round++) expect((await browser.signIn(`a${round}@example.com`, 'x')).status).toBe(422)
  const refused = await browser.signIn('b@example.com', 'x')
  expect([refused.status, refused.headers['retry-after'], refused.headers['x-ratelimit-limit']]).toEqual([
    429,
    '6',
    '10',
  ])
  expectPage(refused.headers)
  // A proxy in front is believed only if it is named.
  expect((await visitorOf(limited, { 'X-Forwarded-For': '203.0.113.9' }).signIn('c@example.com', 'x')).status).toBe(429)
  limited.wait(6000)
  expect((await browser.signIn('b@example.com', 'x')).status).toBe(422)
})

test('behind a named proxy, the limit is that of the client behind it', async () => {
  const limited = await startApp({ signInsPerMinute: 1, standingStill: true, trustedProxies: ['loopback'] })
  const statusFrom = async (address: string) =>
    (await visitorOf(limited, { 'X-Forwarded-For': address }).signIn('a@example.com', 'x')).status
  expect(await Promise.all(['203.0.113.9', '203.0.113.10'].map(statusFrom))).toEqual([422, 422])
  expect(await statusFrom('198.51.100.1, 203.0.113.9')).toBe(429)
})

test.for<[string, Record<string, string>, Record<string, string>]>([
  ['without its token', {}, { _csrf: '' }],
  ['with the token of another browser', {}, { _csrf: 'x'.repeat(43) }],
  ['from another site', { 'Sec-Fetch-Site': 'cross-site' }, {}],
  ['from another host of the site', { 'Sec-Fetch-Site': 'same-site' }, {}],
])('a form that was sent %s does nothing', async ([, headers, fields]) => {
  const browser = visitor(headers)
  await browser.go('/auth/sign-in')
  const refused = await browser.submit('/auth/sign-in', { email, password, ...fields })
  expect([refused.status, browser.cookies.has('kontor_session')]).toEqual([403, false])
  expectPage(refused.headers)
})

test('the token of a form ends with the session that it was made in', async () => {
  const browser = visitor()
  await browser.signIn(email, password)
  const { _csrf: before = '' } = hiddenFields(String((await browser.go('/auth/account')).body), '/auth/account/name')
  expect((await browser.post('/auth/account/name', { _csrf: before, name: 'Grace' })).status).toBe(303)
  await browser.go('/auth/sign-out')
  await browser.submit('/auth/sign-out')
  await browser.signIn(email, password)
  expect((await browser.post('/auth/account/name', { _csrf: before, name: 'Mallory' })).status).toBe(403)
  expect((await app.api.get(`/workspaces/acme/users/${grace.id}`)).body.data.attributes.name.full_name).toBe('Grace')
})

test.for([
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  '/.//evil.example',
  '/%2e//evil.example',
  'auth/account',
  'javascript:alert(1)',
  ' /auth/account',
  '\t//evil.example',
  '/auth/..//evil.example',
  ['/', 5000],
])('return_to leads to no other site: %j', async (given) => {
  const target = typeof given === 'string' ? given : `/${'a'.repeat(5000)}`
  const browser = visitor()
  const page = await browser.go(`/auth/sign-in?return_to=${encodeURIComponent(target)}`)
  expect(page.body).not.toContain('return_to')
  const answer = await browser.submit('/auth/sign-in', { email, password, return_to: target })
  expect([answer.status, answer.headers['location']]).toEqual([303, '/auth/account'])
  const again = await browser.go(`/auth/sign-in?return_to=${encodeURIComponent(target)}`)
  expect(again.headers['location']).toBe('/auth/account')
})

test('return_to leads on below AUTH_URL, by a page of its own', async () => {
  const browser = visitor()
  await browser.go('/auth/sign-in?return_to=%2Fauth%2Faccount%3Fa%3D1%26b%3D%3C')
  const answer = await browser.submit('/auth/sign-in', { email, password })
  expect(answer.status).toBe(200)
  expect(answer.body).toContain('<meta http-equiv="refresh" content="0; url=/auth/account?a=1&amp;b=%3C">')
})

test('signing out ends the session, not only the cookie', async () => {
  const browser = visitor()
  await browser.signIn(email, password)
  const token = browser.cookies.get('kontor_session') as string
  await browser.go('/auth/sign-out')
  const answer = await browser.submit('/auth/sign-out')
  expect([answer.status, answer.headers['location'], browser.cookies.has('kontor_session')]).toEqual([
    303,
    '/auth/sign-in?notice=out',
    false,
  ])
  browser.cookies.set('kontor_session', token)
  expect((await browser.go('/auth/account')).headers['location']).toBe('/auth/sign-in?return_to=%2Fauth%2Faccount')
})

test('a session ends after seven days without use, and after thirty in any case', async () => {
  const aged = await startApp()
  await aged.addMember('member', 'aged', password)
  const [idle, busy] = [visitorOf(aged), visitorOf(aged)]
  for (const browser of [idle, busy]) expect((await browser.signIn('aged@example.com', password)).status).toBe(303)
  for (let day = 0; day < 29; day++) {
    await aged.advance(86_400_000)
    expect((await busy.go('/auth/account')).status).toBe(200)
    if (day === 5) expect((await idle.go('/auth/account')).status).toBe(200)
    if (day === 13) expect((await idle.go('/auth/account')).status).toBe(303)
  }
  await aged.advance(86_400_000)
  expect((await busy.go('/auth/account')).status).toBe(303)
})

test('neither passwords nor what cookies and links hold can be read where they are stored', async () => {
  const browser = visitor()
  await browser.signIn(email, password)
  const dump = JSON.stringify(await app.signInRows())
  expect(dump).toContain('$argon2id$v=19$m=19456,t=2,p=1$')
  for (const secret of [password, browser.cookies.get('kontor_session') as string]) expect(dump).not.toContain(secret)
})

test.for<[string, Record<string, string>, number]>([
  ['a NUL in the address', { email: 'a\0b@example.com' }, 422],
  ['a NUL in the password', { password: 'a\0b' }, 422],
  ['an address of 10,000 characters', { email: `${'a'.repeat(9990)}@x.example` }, 422],
  ['a password of 10,000 characters', { password: 'a'.repeat(10_000) }, 422],
  ['more than 16 KiB', { password: 'a'.repeat(17_000) }, 413],
  ['sixty fields', Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, ''])), 400],
])('a form with %s is refused in a page', async ([, fields, status]) => {
  const browser = visitor()
  await browser.go('/auth/sign-in')
  const answer = await browser.submit('/auth/sign-in', { email, password: 'x', ...fields })
  expect(answer.status).toBe(status)
  expectPage(answer.headers)
})

test('bytes that are no form are refused, whatever they claim to be', async () => {
  for (const type of [
    'application/x-www-form-urlencoded',
    'application/json',
    'multipart/form-data; boundary=x',
    'text/plain',
  ]) {
    const { status } = await app.http.send({
      method: 'POST',
      url: `${app.origin}/auth/sign-in`,
      headers: { 'Content-Type': type, Cookie: "kontor_form=%00; kontor_session='; =; ;;" },
      body: '%zz=%&_csrf=%c3%28&email[]=1&{"a":1}',
    })
    expect(status).toBe(403)
  }
})

test.for(['GET /auth/nothing', 'POST /auth/account', 'DELETE /auth/sign-in'])('404 for %s', async (line) => {
  const [method = '', path = ''] = line.split(' ')
  expect((await app.http.send({ method, url: app.origin + path })).status).toBe(404)
})

test('what people call themselves is text, not markup', async () => {
  const browser = visitor()
  await browser.signIn(email, password)
  await browser.go('/auth/account')
  await browser.submit('/auth/account/name', { name: '"><script>alert(1)</script>&amp;' })
  const { body } = await browser.go('/auth/account')
  expect(body).not.toContain('<script')
  expect(body).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;"')
  expect((await app.api.get(`/workspaces/acme/users/${grace.id}`)).body.data.attributes.name.full_name).toBe(
    '"><script>alert(1)</script>&amp;',
  )
})

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { scopes } from '@kontor/contract'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { someOf } from '../harness/size.ts'
import { visitorOf } from '../harness/visitor.ts'

const app = await startApp()
const password = 'quiet rivers run deep'
const path = '/auth/account/keys/new'
const wish = { name: 'Nightly import', workspace: 'acme', kind: 'user', days: '30', 'scopes:members:read': 'on' }

async function signedIn(name: string, role: 'admin' | 'member' = 'member') {
  await app.addMember(role, name, password)
  const browser = visitorOf(app)
  await browser.signIn(`${name}@example.com`, password)
  return browser
}

const keyIn = (page: unknown): string => /k[pw]_[\w-]{50}/.exec(String(page))?.[0] ?? ''
const status = async (key: string, of: string) =>
  (await app.api.get(`/workspaces/acme/${of}`, { as: { authorization: `api-key ${key}` } })).status

test('a key is made without a shell, does what was chosen, and is shown once', async () => {
  const browser = await signedIn('maker')
  expect((await browser.go('/auth/account')).body).toContain(`href="${path}"`)
  await browser.go(path)
  const made = await browser.submit(path, wish)
  const key = keyIn(made.body)
  expect([made.status, await status(key, 'users'), await status(key, 'schemas')]).toEqual([200, 200, 403])
  expect(made.body).toContain(`Authorization: api-key ${key}`)
  expect(made.body).toContain('data-copy')
  expect(made.headers['content-security-policy']).toMatch(/script-src 'sha256-/)
  const account = await browser.go('/auth/account')
  expect(account.body).toContain('Nightly import')
  expect(account.body).not.toContain(key)
})

const commandIn = (page: unknown): string =>
  /<pre class="command"[^>]*><code>([^<]*)</.exec(String(page))?.[1]?.replaceAll('&quot;', '"') ?? ''

test.for(someOf(['everything', ...scopes], 5))(
  'the command that is printed beside a key works as it stands (%s)',
  async (scope) => {
    const browser = await signedIn(`runs-${scope.replace(':', '-')}`, 'admin')
    for (const kind of ['user', 'workspace']) {
      await browser.go(path)
      const { body } = await browser.submit(path, {
        name: `Runs ${kind}`,
        workspace: 'acme',
        kind,
        days: '30',
        [`scopes:${scope}`]: 'on',
      })
      const { stdout } = await promisify(execFile)('bash', ['-c', commandIn(body)])
      expect(JSON.parse(stdout), stdout).toHaveProperty('data')
    }
  },
)

test('a form that is sent twice makes one key', async () => {
  const browser = await signedIn('twice')
  const { body } = await browser.go(path)
  const hidden = Object.fromEntries(
    [...String(body).matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name, value]) => [
      name as string,
      value as string,
    ]),
  )
  const [first, second] = [
    await browser.post(path, { ...hidden, ...wish }),
    await browser.post(path, { ...hidden, ...wish }),
  ]
  expect(keyIn(first.body)).not.toBe('')
  expect(keyIn(second.body)).toBe(keyIn(first.body))
  const other = await browser.post(path, { ...hidden, ...wish, name: 'Another' })
  expect([other.status, keyIn(other.body), String(other.body).includes('This form has already created a key')]).toEqual(
    [422, '', true],
  )
  expect(keyIn((await browser.submit(path, { ...wish, name: 'Another' })).body)).not.toBe('')
})

test('a form that is sent twice at once makes one key, and both answers show it', async () => {
  const browser = await signedIn('clicks')
  await browser.go(path)
  const answers = await Promise.all([1, 2, 3].map(() => browser.submit(path, wish)))
  expect(answers.map(({ status: each }) => each)).toEqual([200, 200, 200])
  expect(new Set(answers.map(({ body }) => keyIn(body))).size).toBe(1)
})

test('what is wrong is said at its field', async () => {
  const browser = await signedIn('fussy')
  await browser.go(path)
  const { status: refused, body } = await browser.submit(path, { name: ' ', days: 'x' })
  expect(refused).toBe(422)
  for (const text of ['Enter a name.', 'Choose what it may do.', 'Choose when it expires.'])
    expect(body).toContain(text)
  const both = await browser.submit(path, { ...wish, 'scopes:everything': 'on' })
  expect([both.status, String(both.body).includes('Choose either everything')]).toEqual([422, true])
})

test('a workspace key is for admins, and none of them makes one elsewhere', async () => {
  const admin = await signedIn('boss', 'admin')
  await admin.go(path)
  expect(keyIn((await admin.submit(path, { ...wish, kind: 'workspace' })).body)).toMatch(/^kw_/)
  const member = await signedIn('worker')
  await member.go(path)
  expect((await member.submit(path, { ...wish, kind: 'workspace' })).status).toBe(422)
  await member.go(path)
  expect((await member.submit(path, { ...wish, workspace: 'other' })).status).toBe(422)
})

test('a browser that was left open makes none: the password is asked for again', async () => {
  const browser = await signedIn('away')
  await browser.go(path)
  await app.advance(16 * 60_000)
  for (const answer of [await browser.submit(path, wish), await browser.go(path)]) {
    expect([answer.status, answer.headers['location']]).toEqual([
      303,
      `/auth/sign-in?return_to=${encodeURIComponent(path)}&again=1`,
    ])
  }
})

test('who is signed out makes none, nor does another site', async () => {
  expect((await visitorOf(app).go(path)).headers['location']).toBe(
    `/auth/sign-in?return_to=${encodeURIComponent(path)}`,
  )
  const browser = await signedIn('forged')
  expect((await browser.post(path, { ...wish, once: 'x', _csrf: 'x' })).status).toBe(403)
})

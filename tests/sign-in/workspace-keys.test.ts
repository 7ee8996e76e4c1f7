import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Caller } from '../harness/people.ts'
import { visitorOf } from '../harness/visitor.ts'

const app = await startApp()
const password = 'quiet rivers run deep'
const path = '/auth/account/workspaces/acme/keys'

async function signedIn(name: string, role: 'admin' | 'member' = 'admin') {
  const { id, as } = await app.addMember(role, name, password)
  const browser = visitorOf(app)
  await browser.signIn(`${name}@example.com`, password)
  return { browser, id, as }
}

const keyIn = (page: unknown): string => /k[pw]_[\w-]{50}/.exec(String(page))?.[0] ?? ''
const status = async (key: string) =>
  (await app.api.get('/workspaces/acme/schemas', { as: { authorization: `api-key ${key}` } })).status
async function make(
  name: string,
  attributes: Record<string, unknown> = {},
  as: Caller = 'admin',
): Promise<{ readonly id: string; readonly key: string }> {
  const { body } = await app.api.post('/workspaces/acme/api-keys', {
    as,
    body: { data: { type: 'api-key', attributes: { name, actor_type: 'workspace', ...attributes } } },
  })
  return { id: body.data.id, key: body.data.attributes.cleartext_api_key }
}

test('admins see the keys of the workspace and their own, who made them, and in words what they may do', async () => {
  const { browser, as } = await signedIn('looks')
  await make(
    'Of the workspace',
    { scopes: ['records:read:person', 'lists:read'], expires_at: '2099-01-02T03:04:00.000Z' },
    as,
  )
  await make('Of mine', { actor_type: 'user' }, as)
  await make('Of another', { actor_type: 'user' }, 'member')
  expect((await browser.go('/auth/account')).body).toContain(`href="${path}"`)
  const { body } = await browser.go(path)
  for (const text of [
    'Of the workspace',
    'The workspace’s, created by looks',
    'See people',
    'See lists',
    'Ends 2 Jan 2099, 03:04 UTC',
    'Never used',
    'Of mine',
    'Yours',
    'Everything that you may do',
  ])
    expect(body).toContain(text)
  expect(body).not.toContain('Of another')
})

test('all of them are listed, however many', async () => {
  const { browser } = await signedIn('many')
  for (let count = 0; count < 101; count++) await make(`Number ${count} of many`)
  const { body } = await browser.go(path)
  expect(String(body).match(/Number \d+ of many<\/strong>/g)).toHaveLength(101)
})

test('a revoked key ends at once; the form sent again changes nothing', async () => {
  const { browser } = await signedIn('revokes')
  const { id, key } = await make('To be revoked')
  await browser.go(path)
  const sent = () => browser.submit(`${path}/revoke`, { id })
  expect([(await sent()).headers['location'], await status(key)]).toEqual([`${path}?notice=revoked`, 401])
  const page = await browser.go(`${path}?notice=revoked`)
  expect(page.body).toContain('The API key is revoked.')
  expect(page.body).not.toContain('To be revoked')
  expect((await sent()).status).toBe(303)
})

test('a new secret is shown once, and the old one works for as long as was chosen', async () => {
  const { browser } = await signedIn('rotates')
  const [ended, kept] = [await make('Ends'), await make('Stays a day')]
  for (const [{ id, key }, overlap, old] of [
    [ended, '0', 401],
    [kept, '24', 200],
  ] as const) {
    await browser.go(`${path}/${id}/rotate`)
    const answer = await browser.submit(`${path}/${id}/rotate`, { overlap })
    const next = keyIn(answer.body)
    expect([answer.status, next === key, await status(next), await status(key)]).toEqual([200, false, 200, old])
    expect((await browser.go(path)).body).not.toContain(next)
  }
  await app.advance(25 * 3_600_000)
  expect(await status(kept.key)).toBe(401)
})

test('the form for a new secret, sent twice, makes one', async () => {
  const { browser } = await signedIn('hasty')
  const { id } = await make('Hasty')
  const { body } = await browser.go(`${path}/${id}/rotate`)
  const hidden = Object.fromEntries(
    [...String(body).matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name, value]) => [
      name as string,
      value as string,
    ]),
  )
  const [first, second] = [
    await browser.post(`${path}/${id}/rotate`, { ...hidden, overlap: '0' }),
    await browser.post(`${path}/${id}/rotate`, { ...hidden, overlap: '0' }),
  ]
  expect([keyIn(second.body), await status(keyIn(first.body))]).toEqual([keyIn(first.body), 200])
  const other = await browser.post(`${path}/${id}/rotate`, { ...hidden, overlap: '24' })
  expect([other.status, keyIn(other.body), await status(keyIn(first.body))]).toEqual([422, '', 200])
  await browser.go(`${path}/${id}/rotate`)
  expect((await browser.submit(`${path}/${id}/rotate`, { overlap: '1000' })).status).toBe(422)
})

test('for a new secret the password is asked for again after a quarter of an hour', async () => {
  const { browser } = await signedIn('left')
  const { id } = await make('Left')
  await browser.go(`${path}/${id}/rotate`)
  await app.advance(16 * 60_000)
  for (const answer of [
    await browser.submit(`${path}/${id}/rotate`, { overlap: '0' }),
    await browser.go(`${path}/${id}/rotate`),
  ]) {
    expect([answer.status, answer.headers['location']]).toEqual([
      303,
      `/auth/sign-in?return_to=${encodeURIComponent(`${path}/${id}/rotate`)}&again=1`,
    ])
  }
})

test('members, admins elsewhere and former admins find nothing there and change nothing', async () => {
  const { id, key } = await make('Kept')
  const worker = await signedIn('worker', 'member')
  const demoted = await signedIn('demoted')
  const stranger = await signedIn('outsider', 'member')
  await app.oauth.admin.addUser({ workspace: 'other', email: 'outsider@example.com', role: 'admin' })
  await demoted.browser.go(path)
  expect(
    (
      await app.api.patch(`/workspaces/acme/users/${demoted.id}`, {
        body: { data: { type: 'user', attributes: { role: 'member' } } },
      })
    ).status,
  ).toBe(200)
  for (const { browser } of [worker, demoted, stranger]) {
    const csrf = {
      _csrf: /name="_csrf" value="([^"]*)"/.exec(String((await browser.go('/auth/account')).body))?.[1] ?? '',
    }
    const answers = [
      await browser.go(path),
      await browser.go(`${path}/${id}/rotate`),
      await browser.post(`${path}/revoke`, { ...csrf, id }),
      await browser.post(`${path}/${id}/rotate`, { ...csrf, overlap: '0', once: 'once' }),
    ]
    expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404, 404])
  }
  const other = '/auth/account/workspaces/other/keys'
  await stranger.browser.go(other)
  const csrf = {
    _csrf: /name="_csrf" value="([^"]*)"/.exec(String((await stranger.browser.go('/auth/account')).body))?.[1] ?? '',
  }
  const answers = [
    await stranger.browser.go(`${other}/${id}/rotate`),
    await stranger.browser.post(`${other}/${id}/rotate`, { ...csrf, overlap: '0', once: 'once' }),
  ]
  expect(answers.map((answer) => answer.status)).toEqual([404, 404])
  await stranger.browser.post(`${other}/revoke`, { ...csrf, id })
  expect(await status(key)).toBe(200)
})

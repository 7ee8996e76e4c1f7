import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { until } from '../harness/until.ts'
import { failed, kontor, start } from './kontor.ts'

const app = await startApp()
const { clientId } = await app.oauth.register({ type: 'public', redirectUris: ['http://127.0.0.1/callback'] })
const logins = join(await scratchFolder(), 'kontor', 'logins.json')
const env = {
  KONTOR_BASE_URL: app.baseUrl,
  KONTOR_CLIENT_ID: clientId,
  KONTOR_LOGINS: logins,
  KONTOR_WORKSPACE: 'acme',
}

/** Runs `kontor login`, which waits for a member, who allows or denies it. */
async function loggedIn(answer: 'allow' | 'deny', ...options: readonly string[]) {
  const running = start(['login', '--scope', 'records:read', ...options], env)
  const shown = /Open (\S+) and enter the code (\S+)/
  await until(() => shown.test(running.stderr()), { withinMs: 90_000, what: () => running.stderr() })
  const [, url = '', user_code = ''] = shown.exec(running.stderr()) ?? []
  const visitor = await app.oauth.visitor('member')
  const consent = await visitor.submit(await visitor.open(url), { user_code })
  await visitor.submit(consent, { answer })
  return running.ended
}

const listed = () => kontor(['records', 'list', 'company', '--json'], env)

type Kept = Readonly<Record<string, { readonly accessToken: string; readonly refreshToken: string }>>

const kept = async () => (JSON.parse(await readFile(logins, 'utf8')) as Kept)[app.baseUrl]

test('kontor login --print gives the token of the person who let it in, and keeps nothing', async () => {
  const { code, stdout } = await loggedIn('allow', '--print')
  expect(code).toBe(0)
  const as = { authorization: `Bearer ${stdout.trim()}` }
  expect((await app.api.get('/workspaces/acme/objects/company/resources', { as })).status).toBe(200)
  expect((await app.api.get('/workspaces/acme/schemas', { as })).status).toBe(403)
  expect(await listed()).toMatchObject(failed(2, /kontor login/))
})

test('commands act as who is logged in, and renew the login by themselves', { timeout: 300_000 }, async () => {
  expect(await loggedIn('allow')).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(/Logged in at/) })
  expect((await stat(logins)).mode & 0o777).toBe(0o600)
  expect(await listed()).toMatchObject({ code: 0 })
  const before = await kept()
  await app.advance(3_700_000)
  expect(await listed()).toMatchObject({ code: 0 })
  const after = await kept()
  expect(after?.accessToken).not.toBe(before?.accessToken)
  expect(after?.refreshToken).not.toBe(before?.refreshToken)
  expect(await listed()).toMatchObject({ code: 0 })
  expect(await kept()).toEqual(after)
})

test('a login that the person has taken back is forgotten, and said so', async () => {
  await loggedIn('allow')
  await app.oauth.revokeApp('member', clientId)
  const said = new RegExp(`no longer logged in at ${app.baseUrl}: .*kontor login --client-id ${clientId}`)
  expect(await listed()).toMatchObject(failed(1, said))
  expect(await kept()).toBeUndefined()
  expect(await listed()).toMatchObject(failed(2, /An API key is missing/))
})

test('kontor logout ends the login at the server too', async () => {
  await loggedIn('allow')
  const as = { authorization: `Bearer ${(await kept())?.accessToken}` }
  expect((await app.api.get('/workspaces/acme/objects/company/resources', { as })).status).toBe(200)
  expect(await kontor(['logout'], env)).toMatchObject({ code: 0 })
  expect((await app.api.get('/workspaces/acme/objects/company/resources', { as })).status).toBe(401)
  expect(await kept()).toBeUndefined()
  expect((await kontor(['logout'], env)).stderr).toMatch(/No one is logged in/)
})

test('kontor login says that the person did not, and what is wrong with the app', async () => {
  expect(await loggedIn('deny')).toMatchObject(failed(1, /denied the request/))
  const confidential = await app.oauth.register()
  expect(await kontor(['login', '--client-id', confidential.clientId], env)).toMatchObject(failed(1, /client/))
})

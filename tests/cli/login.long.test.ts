import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { until } from '../harness/until.ts'
import { failed, kontor, start } from './kontor.ts'

const app = await startApp()
const { clientId } = await app.oauth.register({ type: 'public', redirectUris: ['http://127.0.0.1/callback'] })
const env = { KONTOR_BASE_URL: app.baseUrl, KONTOR_CLIENT_ID: clientId }

/** What a member says to a command that waits for it. */
async function loggedIn(answer: 'allow' | 'deny') {
  const running = start(['login', '--scope', 'records:read'], env)
  const shown = /Open (\S+) and type the code (\S+)/
  await until(() => shown.test(running.stderr()), { what: () => running.stderr() })
  const [, url = '', user_code = ''] = shown.exec(running.stderr()) ?? []
  const visitor = await app.oauth.visitor('member')
  const consent = await visitor.submit(await visitor.open(url), { user_code })
  await visitor.submit(consent, { answer })
  return running.ended
}

test('kontor login gives the token of the person who let it in', async () => {
  const { code, stdout } = await loggedIn('allow')
  expect(code).toBe(0)
  const as = { authorization: `Bearer ${stdout.trim()}` }
  expect((await app.api.get('/workspaces/acme/objects/company/resources', { as })).status).toBe(200)
  expect((await app.api.get('/workspaces/acme/schemas', { as })).status).toBe(403)
})

test('kontor login says that the person did not, and what is wrong with the app', async () => {
  expect(await loggedIn('deny')).toMatchObject(failed(1, /did not allow it/))
  const confidential = await app.oauth.register()
  expect(await kontor(['login', '--client-id', confidential.clientId], env)).toMatchObject(failed(1, /client/))
})

import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { ask, connect, leaving, ledTo, redeem, type ThirdParty } from '../harness/oauth.ts'
import { until } from '../harness/until.ts'
import { holdTrust } from './trust.ts'

const endTrust = holdTrust()
const app = await startApp()
const node = await startApp({
  beside: { databaseUrl: app.databaseUrl, credentials: app.credentials },
  baseUrl: app.baseUrl,
  authUrl: app.origin,
})

const scope = 'openid offline_access records:read'
const read = (at: typeof app, token: string, path = '/workspaces/acme/objects/person/resources') =>
  at.api.get(path, { as: { authorization: `Bearer ${token}` } }).then(({ status }) => status)
const connected = async (person = 'member'): Promise<[ThirdParty, Awaited<ReturnType<typeof connect>>]> => {
  const third = await app.oauth.register()
  return [third, await connect(third, await app.oauth.visitor(person), scope)]
}

describe('two apps in one process, on one database', () => {
  test('are one server: what one hands out, the other redeems', async () => {
    const third = await app.oauth.register()
    const asked = await ask(third, scope)
    const visitor = await app.oauth.visitor('member')
    const page = await visitor.open(asked.url)
    const returned = leaving(await visitor.submit(page, { answer: 'allow' }))
    const tokens = await redeem(ledTo(node.origin, third), asked, returned)
    expect([await read(app, tokens.access_token), await read(node, tokens.access_token)]).toEqual([200, 200])
    await expect(redeem(third, asked, returned)).rejects.toMatchObject({ error: 'invalid_grant' })
    expect(await read(app, tokens.access_token)).toBe(401)
  })

  test('end what an app was allowed: the one at once, the other within five seconds even if it is not notified', async () => {
    const [third, tokens] = await connected()
    expect([await read(app, tokens.access_token), await read(node, tokens.access_token)]).toEqual([200, 200])
    await app.oauth.revokeApp('member', third.clientId)
    expect(await read(app, tokens.access_token)).toBe(401)
    await endTrust()
    expect(await read(node, tokens.access_token)).toBe(401)
  })
})

describe('an app that was taken its consent', () => {
  test('has lost everything, and may ask again', async () => {
    const [third, tokens] = await connected()
    await app.oauth.revokeApp('member', third.clientId)
    expect(await app.oauth.consents('member')).not.toContainEqual(
      expect.objectContaining({ client_id: third.clientId }),
    )
    expect(await app.oauth.stored()).not.toContain(`"client_id":"${third.clientId}"`)
    const visitor = await app.oauth.visitor('member')
    const page = await visitor.open((await ask(third, scope)).url)
    expect(page.url).toContain('/oauth2/connect/')
    expect(await read(app, tokens.access_token)).toBe(401)
  })

  test('has it still of others, and others still theirs', async () => {
    const [third, tokens] = await connected()
    const [, untouched] = await connected()
    const admins = await connect(third, await app.oauth.visitor('admin'), scope)
    await app.oauth.revokeApp('member', third.clientId)
    expect(await read(app, tokens.access_token)).toBe(401)
    expect(await read(app, admins.access_token)).toBe(200)
    expect(await read(app, untouched.access_token)).toBe(200)
  })

  test('had been used until then', async () => {
    const [third, tokens] = await connected()
    expect(await read(app, tokens.access_token)).toBe(200)
    const usedAt = await until(
      async () =>
        (await app.oauth.consents('member')).find(({ client_id }) => client_id === third.clientId)?.last_used_at ??
        undefined,
    )
    expect(usedAt).toEqual(expect.any(Number))
  })
})

test('an app that is removed has nothing from anyone', async () => {
  const [third, tokens] = await connected()
  expect(await read(app, tokens.access_token)).toBe(200)
  await app.oauth.admin.removeOAuthClient(third.clientId)
  await endTrust()
  expect(await read(app, tokens.access_token)).toBe(401)
  expect(await app.oauth.stored()).not.toContain(third.clientId)
})

test('an app of a former member gets where they get', async () => {
  const [, tokens] = await connected('viewer')
  expect(await read(app, tokens.access_token)).toBe(200)
  expect((await app.api.delete(`/workspaces/acme/users/${app.userIds.viewer}`)).status).toBe(200)
  expect(await read(app, tokens.access_token)).toBe(404)
  expect(await read(app, tokens.access_token, '/workspaces')).toBe(200)
})

test('what has expired is deleted in the background', async () => {
  await connected('admin')
  await app.advance(70 * 86_400_000)
  await app.startJobs()
  await until(async () => (await app.oauth.stored()).startsWith('[[],'), { what: () => app.oauth.stored() })
})

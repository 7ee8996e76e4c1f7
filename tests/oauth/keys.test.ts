import { decodeProtectedHeader } from 'jose'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { connect } from '../harness/oauth.ts'
import { holdTrust } from './trust.ts'

const endTrust = holdTrust()
const app = await startApp()
const node = await startApp({ beside: { databaseUrl: app.databaseUrl, credentials: app.credentials } })
const third = await app.oauth.register()
const hourMs = 3_600_000

const kids = async (at = app): Promise<string[]> =>
  (await app.http.send({ method: 'GET', url: `${at.origin}/oauth2/jwks` })).body.keys.map(
    ({ kid }: { kid: string }) => kid,
  )
const token = async () => (await connect(third, await app.oauth.visitor('member'), 'openid records:read')).access_token
const kidOf = (jwt: string) => decodeProtectedHeader(jwt).kid
const status = (jwt: string, at = app) =>
  at.api.get('/workspaces', { as: { authorization: `Bearer ${jwt}` } }).then((answer) => answer.status)

describe('a new signing key', () => {
  test('signs at once, on all apps, beside the old one, whose tokens stay valid', async () => {
    const [before] = await kids()
    const old = await token()
    expect([kidOf(old), await status(old)]).toEqual([before, 200])
    const { kid } = await app.oauth.admin.rotateSigningKey()
    expect(await kids()).toEqual([kid, before])
    expect(await kids(node)).toEqual([kid, before])
    const fresh = await token()
    expect(kidOf(fresh)).toBe(kid)
    expect(kidOf((await app.issuer.mint(app.userIds.member)).access_token)).toBe(kid)
    expect([await status(old), await status(fresh), await status(old, node), await status(fresh, node)]).toEqual([
      200, 200, 200, 200,
    ])
  })

  test('is alone once everything is over that the old one has signed', async () => {
    const [newest] = await kids()
    await app.startJobs()
    await app.advance(3 * hourMs)
    await expect.poll(() => kids(), { timeout: 30_000 }).toEqual([newest])
    expect(await status(await token())).toBe(200)
  })

  test('takes over after 90 days by itself', async () => {
    const [before] = await kids()
    await app.advance(91 * 24 * hourMs)
    await expect.poll(() => kids(), { timeout: 30_000 }).toEqual([expect.not.stringMatching(before as string), before])
  })

  test('may end all that was signed before, within five seconds', async () => {
    const old = await token()
    expect([await status(old), await status(old, node)]).toEqual([200, 200])
    const { kid } = await app.oauth.admin.rotateSigningKey({ dropOthers: true })
    expect(await kids()).toEqual([kid])
    await endTrust()
    expect([await status(old), await status(old, node)]).toEqual([401, 401])
    expect(await status(await token())).toBe(200)
  })
})

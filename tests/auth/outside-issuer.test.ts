import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Caller } from '../harness/people.ts'

/** An identity provider as they are: its keys behind a URL, asked for over HTTP. */
const algorithm = 'RS256'
const kid = 'one'
const { privateKey, publicKey } = await generateKeyPair(algorithm)
const { privateKey: otherKey } = await generateKeyPair(algorithm)
const keys = { keys: [{ ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' }] }
let asked = 0
const provider = createServer((_request, response) => {
  asked++
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(keys))
})
await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
afterAll(() => void provider.close())

const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
const app = await startApp({ outsideIssuer: { issuer, jwksUrl: `${issuer}/jwks.json`, audience: 'kontor' } })

type Claims = Readonly<Record<string, unknown>>

async function tokenOf(claims: Claims, key: CryptoKey = privateKey, expires = '5m'): Promise<Caller> {
  const token = new SignJWT({
    iss: issuer,
    aud: 'kontor',
    sub: 'auth0|1',
    email: 'member@example.com',
    ...claims,
  }).setProtectedHeader({ alg: algorithm, kid })
  return { authorization: `Bearer ${await token.setExpirationTime(expires).sign(key)}` }
}

const workspacesOf = async (as: Caller) => {
  const { status, body } = await app.api.get('/workspaces', { as })
  return status === 200
    ? body.data.map((one: { attributes: { slug: string } }) => one.attributes.slug)
    : body.errors[0].code
}

describe('a token of the identity provider', () => {
  const good: [string, Claims][] = [
    ['acts as the user of its e-mail address', {}],
    ['in any spelling of it', { email: 'Member@Example.COM' }],
    ['that was verified', { email_verified: true }],
    ['that was verified, as a text', { email_verified: 'true' }],
    ['for several audiences, ours among them', { aud: ['other', 'kontor'] }],
    [
      'with scopes that are not ours, which narrow nothing',
      { scope: 'openid email https://graph.example.com/User.Read api:access' },
    ],
  ]
  test.for(good)('%s', async ([, claims]) => {
    expect(await workspacesOf(await tokenOf(claims))).toEqual(['acme'])
  })

  test('may be narrowed by scopes of ours', async () => {
    const as = await tokenOf({ scope: 'openid members:read' })
    expect((await app.api.get('/workspaces/acme/users', { as })).status).toBe(200)
    expect((await app.api.get('/workspaces/acme/schemas', { as })).body.errors[0].code).toBe('insufficient_scope')
  })

  const bad: [string, Claims][] = [
    ['for another audience', { aud: 'other' }],
    ['for no audience', { aud: undefined }],
    ['without an e-mail address', { email: undefined }],
    ['with an e-mail address that was not verified', { email_verified: false }],
    ['with an e-mail address that was not verified, as a text', { email_verified: 'false' }],
    ['with an e-mail address of which nothing clear is said', { email_verified: null }],
    ['for an unknown person', { email: 'unknown@example.com' }],
    ['with an e-mail address that is none', { email: 'x\0' }],
    ['with an e-mail address that is no text', { email: ['member@example.com'] }],
    ['that names a user by our id only', { email: undefined, sub: app.userIds.admin }],
    ['of another issuer', { iss: 'https://elsewhere.example.com' }],
    ['in our own name', { iss: app.origin, sub: app.userIds.admin }],
  ]
  test.for(bad)('%s is refused', async ([, claims]) => {
    expect(await workspacesOf(await tokenOf({ sub: 'auth0|2', ...claims }))).toBe('unauthenticated')
  })

  test('signed by another key, or expired, is refused', async () => {
    expect(await workspacesOf(await tokenOf({}, otherKey))).toBe('unauthenticated')
    expect(await workspacesOf(await tokenOf({}, privateKey, '-1m'))).toBe('unauthenticated')
  })

  test('acts as the same user when the address changes, and not as the user whose address it is then', async () => {
    const as = await tokenOf({ email: 'stranger@example.com' })
    expect(await workspacesOf(as)).toEqual(['acme'])
    expect(await workspacesOf(await tokenOf({ email: undefined }))).toEqual(['acme'])
  })

  test('of another person who was given the address is refused until an operator disconnects the user', async () => {
    const as = await tokenOf({ sub: 'auth0|3' })
    const { status, body } = await app.api.get('/workspaces', { as })
    expect([status, body.errors[0].detail]).toEqual([401, expect.stringContaining('provider-disconnect')])
    await app.oauth.admin.disconnectProviders('member@example.com')
    expect(await workspacesOf(as)).toEqual(['acme'])
    expect(await workspacesOf(await tokenOf({}))).toBe('unauthenticated')
    await app.oauth.admin.disconnectProviders('member@example.com')
    await expect(app.oauth.admin.disconnectProviders('member@example.com')).rejects.toThrow('is not connected to')
  })

  test('ends when it says, also where it has been seen', async () => {
    const as = await tokenOf({})
    expect(await workspacesOf(as)).toEqual(['acme'])
    await app.advance(6 * 60_000)
    expect(await workspacesOf(as)).toBe('unauthenticated')
  })

  test('stands beside tokens of our own', async () => {
    expect(await workspacesOf('stranger')).toEqual(['other'])
  })

  test('costs one question for the keys', () => {
    expect(asked).toBeLessThan(4)
  })
})

test('a key set without end fills no memory: the provider is told to be away', async () => {
  let sent = 0
  const endless = createServer((_request, response) => {
    const more = (): void => {
      while (response.writable && response.write(' '.repeat(64 * 1024))) sent += 64 * 1024
    }
    response.on('drain', more)
    more()
  })
  await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    endless.closeAllConnections()
    endless.close()
  })
  const jwksUrl = `http://127.0.0.1:${(endless.address() as AddressInfo).port}/`
  const node = await startApp({ beside: app, outsideIssuer: { issuer, jwksUrl, audience: 'kontor' } })
  const { status, body } = await node.api.get('/workspaces', { as: await tokenOf({}) })
  expect([status, body.errors[0].code]).toEqual([503, 'unavailable'])
  expect(sent).toBeLessThan(64 * 1024 * 1024)
})

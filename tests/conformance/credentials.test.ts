import { generateKeyPair, SignJWT } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ErrorCode } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import { createKey } from '../harness/people.ts'
import { turnOf } from '../harness/size.ts'
import { closed, exampleInput, open, select } from './endpoints.ts'
import { expectError } from './expect.ts'
import { rest, surfaces } from './surfaces.ts'

const app = await startApp()

/** Credentials that are sent, and the code that says what is wrong with them. */
const wrong = new Map<string, { readonly authorization?: string; readonly code: ErrorCode }>()

/** The same text with one character changed. */
const flipped = (text: string): string => text.slice(0, -5) + (text.at(-5) === 'A' ? 'B' : 'A') + text.slice(-4)

beforeAll(async () => {
  const { api, credentials } = app
  const good = credentials.keys.memberKey as string
  const revoked = await createKey(api.post, 'member')
  await api.get('/workspaces/acme/users', { as: { authorization: `api-key ${revoked.key}` } })
  await api.delete(`/workspaces/acme/api-keys/${revoked.id}`, { as: 'member' })
  const expired = await createKey(api.post, 'member', { expiresAt: new Date(app.now() + 60_000).toISOString() })
  const staleToken = credentials.cast.tokens.admin
  await app.advance(2 * 3_600_000)
  const { admin } = credentials.cast.tokens
  const [head, payload, signature] = admin.split('.') as [string, string, string]
  const anotherUser = Buffer.from(JSON.stringify({ sub: app.userIds.member, exp: 4e9 })).toString('base64url')
  const cases: [string, string | undefined, ErrorCode][] = [
    ['no header', undefined, 'unauthenticated'],
    ['an empty header', '', 'unauthenticated'],
    ['an unknown scheme', 'Basic YWRtaW46YWRtaW4=', 'unauthenticated'],
    ['a scheme alone', 'api-key', 'unauthenticated'],
    ['two credentials', `api-key ${good} ${good}`, 'unauthenticated'],
    ['a key without its scheme', good, 'unauthenticated'],
    ['a broken key', `api-key ${flipped(good)}`, 'key_invalid'],
    ['a key cut short', `api-key ${good.slice(0, -1)}`, 'key_invalid'],
    ['an unknown key', 'api-key pk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA0000000', 'key_invalid'],
    ['a revoked key', `api-key ${revoked.key}`, 'key_invalid'],
    ['an expired key', `api-key ${expired.key}`, 'key_expired'],
    ['a broken key sent as Bearer', `Bearer ${flipped(good)}`, 'key_invalid'],
    ['a key and something else', `api-key ${good}, Bearer ${good}`, 'unauthenticated'],
    ['a token sent as api-key', `api-key ${admin}`, 'key_invalid'],
    ['no token at all', 'Bearer x', 'unauthenticated'],
    ['a token with another payload', `Bearer ${head}.${anotherUser}.${signature}`, 'unauthenticated'],
    ['a token with a broken signature', `Bearer ${head}.${payload}.${flipped(signature)}`, 'unauthenticated'],
    [
      'a token without a signature',
      `Bearer ${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`,
      'unauthenticated',
    ],
    ['an expired token', `Bearer ${staleToken}`, 'unauthenticated'],
    ['a token of a foreign issuer', `Bearer ${await foreignToken()}`, 'unauthenticated'],
    [
      'a token for no person',
      `Bearer ${(await app.issuer.mint('019b2f6e-7a00-7000-8000-00000000dead')).access_token}`,
      'unauthenticated',
    ],
    ['a header of 9 KB', `Bearer ${'x'.repeat(9000)}`, 'unauthenticated'],
  ]
  for (const [name, authorization, code] of cases)
    wrong.set(name, { ...(authorization !== undefined && { authorization }), code })
})

async function foreignToken(): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256')
  const token = new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: 'foreign' })
    .setSubject(app.userIds.admin)
    .setIssuer(app.origin)
    .setExpirationTime('1h')
  return token.sign(privateKey)
}

test.for(turnOf(16, closed))('%s: every wrong credential is 401, and says what is wrong', async ([name, endpoint]) => {
  const input = await exampleInput(app, name, endpoint)
  await app.events()
  for (const [what, { authorization, code }] of wrong) {
    const outcome = await rest(app, name, endpoint, input, {
      as: authorization === undefined ? 'anonymous' : { authorization },
    })
    expect(outcome.status, what).toBe(401)
    expectError(endpoint, outcome, code)
    expect(outcome.headers['www-authenticate']).toContain('Bearer')
  }
  expect(await app.events()).toEqual([])
})

test.for(turnOf(17, closed))('%s: 401 comes before everything else that is wrong', async ([name, endpoint]) => {
  const input = { ...(await exampleInput(app, name, endpoint)), workspace: 'nowhere', body: '{' }
  expectError(
    endpoint,
    await rest(app, name, endpoint, input, { as: 'anonymous', query: { bogus: 1 } }),
    'unauthenticated',
  )
})

test.for(turnOf(18, open))(
  '%s: answers all callers alike on every surface, whatever credential they send or none',
  async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    const { body } = await rest(app, name, endpoint, input, { as: 'admin' })
    for (const surface of Object.values(surfaces)) {
      for (const authorization of [undefined, ...[...wrong.values()].map((one) => one.authorization)]) {
        const outcome = await surface(app, name, endpoint, input, {
          as: authorization === undefined ? 'anonymous' : { authorization },
        })
        expect([outcome.status, outcome.body]).toEqual([200, body])
        expect(outcome.headers['www-authenticate']).toBeUndefined()
      }
      expectError(
        endpoint,
        await surface(app, name, endpoint, { ...input, bogus: 1 }, { as: 'anonymous' }),
        'unknown_parameter',
      )
    }
  },
)

test('the index is the only public endpoint', () => {
  expect(open.map(([name]) => name)).toEqual(['api.get'])
})

test.for(turnOf(19, closed))('%s: tRPC and actions refuse alike', async ([name, endpoint]) => {
  const input = await exampleInput(app, name, endpoint)
  for (const surface of Object.values(surfaces)) {
    expectError(endpoint, await surface(app, name, endpoint, input, { as: 'anonymous' }), 'unauthenticated')
    expectError(
      endpoint,
      await surface(app, name, endpoint, input, { as: { authorization: 'api-key pk_x' } }),
      'key_invalid',
    )
  }
})

describe('endpoints that act as a person', () => {
  test.for(
    turnOf(
      20,
      select(({ caller }) => caller === 'user'),
    ),
  )('%s refuses every API key with 401, whatever it may do', async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    await app.events()
    for (const as of ['adminKey', 'memberKey', 'workspaceKey', 'strangerKey'] as const) {
      for (const surface of Object.values(surfaces))
        expectError(endpoint, await surface(app, name, endpoint, input, { as }), 'user_token_required')
    }
    expect(await app.events()).toEqual([])
  })

  test('are those that the specification names, and what shows the secret of a key or an app', () => {
    expect(
      select(({ caller }) => caller === 'user')
        .map(([name]) => name)
        .toSorted(),
    ).toEqual([
      'apiKeys.create',
      'apiKeys.rotate',
      'apps.create',
      'apps.rotate',
      'apps.update',
      'workspaces.list',
      'workspaces.update',
    ])
  })
})

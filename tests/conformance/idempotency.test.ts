import { expect, test } from 'vitest'
import { pathParameters, type Endpoint } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import { turnOf } from '../harness/size.ts'
import { exampleInput, mutations, withShapedBody, type Input } from './endpoints.ts'
import { expectError, expectSuccess } from './expect.ts'
import { rest, surfaces } from './surfaces.ts'

const app = await startApp()

let serial = 0
const freshKey = (): string => `key-${++serial}`
const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } })
const isMutation = ([, { method }]: [string, Endpoint]): boolean => method !== 'GET'

test.for(turnOf(25, mutations))(
  '%s: the same request under the same key is answered from memory, and done once',
  async ([name, endpoint]) => {
    for (const surface of Object.values(surfaces)) {
      const input = await exampleInput(app, name, endpoint)
      const key = freshKey()
      await app.events()
      const first = await surface(app, name, endpoint, input, withKey(key))
      expect(first.status).toBeLessThan(300)
      expect(first.headers['idempotency-replayed']).toBeUndefined()
      const events = await app.events()
      const again = await surface(app, name, endpoint, input, withKey(key))
      expect(again.headers['idempotency-replayed']).toBe('true')
      expect(again.status).toBe(first.status)
      expect(again.body).toEqual(first.body)
      expect(again.headers['etag']).toBe(first.headers['etag'])
      expect(await app.events()).toEqual([])
      if (endpoint.scope?.startsWith('records:')) expect(events.length).toBeGreaterThan(0)
    }
  },
)

test.for(
  turnOf(
    26,
    mutations.filter(([, { secret }]) => secret === true),
  ),
)(
  '%s: neither its secret nor the key that opens it can be read where the answer is stored',
  async ([name, endpoint]) => {
    const key = freshKey()
    const { body } = await rest(app, name, endpoint, await exampleInput(app, name, endpoint), withKey(key))
    const stored = await app.storedAnswers()
    const { attributes = {}, upload, signedUrl = upload?.url ?? attributes.accept_url ?? attributes.url } = body.data
    const secret =
      attributes.cleartext_api_key ??
      attributes.secret?.slice('whsec_'.length) ??
      new URL(signedUrl).searchParams.get('token') ??
      new URL(signedUrl).pathname.split('/').at(-1)
    expect(secret).toMatch(/^[\w.+/=-]{43,}$/)
    expect(stored).not.toContain(secret)
    expect(stored).not.toContain(`"${key}"`)
  },
)

test.for(turnOf(27, mutations))(
  '%s: another request under the key is 422, and nothing happens',
  async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    const key = freshKey()
    expectSuccess(endpoint, await rest(app, name, endpoint, input, withKey(key)))
    const others: Input[] = [{ ...input, silent: true }]
    if (pathParameters(endpoint.path).includes('id') || endpoint.body !== undefined)
      others.push(await exampleInput(app, name, endpoint))
    await app.events()
    for (const other of others.filter((one) => JSON.stringify(one) !== JSON.stringify(input))) {
      const outcome = await rest(app, name, endpoint, other, withKey(key))
      expectError(endpoint, outcome, 'idempotency_key_reused')
      expect(outcome.body.errors[0].source).toEqual({ header: 'Idempotency-Key' })
    }
    expect(await app.events()).toEqual([])
  },
)

test.for(turnOf(28, mutations))('%s: a key has 1 to 255 printable characters', async ([name, endpoint]) => {
  const input = await exampleInput(app, name, endpoint)
  await app.events()
  for (const key of ['', 'x'.repeat(256), 'ü', 'a\tb']) {
    for (const surface of Object.values(surfaces)) {
      const outcome = await surface(app, name, endpoint, input, withKey(key))
      expectError(endpoint, outcome, 'invalid_parameter')
      expect(outcome.body.errors[0].source).toEqual({ header: 'Idempotency-Key' })
    }
  }
  expect(await app.events()).toEqual([])
  expectSuccess(endpoint, await rest(app, name, endpoint, input, withKey('x'.repeat(255 - name.length) + name)))
})

test.for(turnOf(29, withShapedBody.filter(isMutation)))(
  '%s: a refused request may be mended and sent again under its key',
  async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    const key = freshKey()
    expect(
      (await rest(app, name, endpoint, { ...input, body: { bogus: 1 } }, withKey(key))).status,
    ).toBeGreaterThanOrEqual(400)
    const mended = await rest(app, name, endpoint, input, withKey(key))
    expectSuccess(endpoint, mended)
    expect(mended.headers['idempotency-replayed']).toBeUndefined()
  },
)

/** Paths of what only its maker and admins may change. */
const ownPaths = [
  'api-keys',
  'comments',
  'webhooks',
  'workflows',
  'workflow-runs',
  'campaigns',
  'agents',
  'imports',
  'exports',
].map((name) => `/${name}/`)

test.for(turnOf(30, mutations))(
  '%s: keys belong to an actor, a workspace and an endpoint, for 24 hours',
  async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    const key = freshKey()
    expectSuccess(endpoint, await rest(app, name, endpoint, input, withKey(key)))
    const otherActor = await exampleInput(app, name, endpoint)
    const as = endpoint.role === 'admin' || ownPaths.some((own) => endpoint.path.includes(own)) ? 'admin' : 'member'
    if (as === 'member') expectSuccess(endpoint, await rest(app, name, endpoint, otherActor, { as, ...withKey(key) }))
    await app.advance(24 * 3_600_000)
    const later = await rest(app, name, endpoint, await exampleInput(app, name, endpoint), withKey(key))
    expectSuccess(endpoint, later)
    expect(later.headers['idempotency-replayed']).toBeUndefined()
  },
)

test.for(turnOf(31, mutations))('%s: many at once under one key do it once', async ([name, endpoint]) => {
  const input = await exampleInput(app, name, endpoint)
  const key = freshKey()
  const outcomes = await Promise.all(Array.from({ length: 12 }, () => rest(app, name, endpoint, input, withKey(key))))
  const done = outcomes.filter(({ status }) => status < 300)
  expect(done.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1)
  for (const { body } of done) expect(body).toEqual(done[0]?.body)
  for (const outcome of outcomes.filter(({ status }) => status >= 300)) {
    expectError(endpoint, outcome, 'idempotency_in_progress')
    expect(outcome.headers['retry-after']).toBe('1')
  }
})

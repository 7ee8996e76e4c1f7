import { expect, test } from 'vitest'
import { inWorkspace } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import type { Caller } from '../harness/people.ts'
import { turnOf } from '../harness/size.ts'
import { all, closed, exampleInput, open } from './endpoints.ts'
import { expectError, expectSuccess } from './expect.ts'
import { rest, surfaces, trpc } from './surfaces.ts'

const unlimited = await startApp()
const limit = 20
const limited = await startApp({ rateLimitPerMinute: limit, standingStill: true, beside: unlimited })

/** A token comes back in three seconds. */
const tokenMs = 60_000 / limit

const headersOf = (headers: Readonly<Record<string, string | undefined>>) =>
  Object.keys(headers).filter((name) => /rate-?limit|retry-after/.test(name))

/** All the headers of a bucket with so many tokens. */
const bucket = (remaining: number) => {
  const reset = ((limit - remaining) * tokenMs) / 1000
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(reset),
    'ratelimit-policy': `"default";q=${limit};w=60`,
    ratelimit: `"default";r=${remaining};t=${reset}`,
  }
}

test.for(turnOf(18, all))('%s: no headers where there is no limit', async ([name, endpoint]) => {
  for (const surface of Object.values(surfaces)) {
    const { headers } = await surface(unlimited, name, endpoint, await exampleInput(unlimited, name, endpoint))
    expect(headersOf(headers)).toEqual([])
  }
})

test.for(turnOf(19, open))('%s: costs too little to be counted', async ([name, endpoint]) => {
  for (let call = 0; call <= limit; call++) {
    const { status, headers } = await rest(limited, name, endpoint, {}, { as: 'anonymous' })
    expect([status, headersOf(headers)]).toEqual([200, []])
  }
})

test.for(turnOf(20, closed))(
  '%s: tells what is left on every surface, in success and failure, 429 when nothing is, and goes on when something is',
  async ([name, endpoint]) => {
    const input = await exampleInput(unlimited, name, endpoint)
    const first = await rest(limited, name, endpoint, input)
    expectSuccess(endpoint, first)
    expect(first.headers).toMatchObject(bucket(limit - 1))
    let left = limit - 1
    for (const surface of Object.values(surfaces)) {
      const refused = await surface(limited, name, endpoint, { ...input, bogus: 1 })
      expect(refused.status).toBe(400)
      expect(refused.headers).toMatchObject(bucket(--left))
    }
    for (; left > 0; left--) await rest(limited, name, endpoint, input, { query: { bogus: 1 } })
    for (const surface of Object.values(surfaces)) {
      const over = await surface(limited, name, endpoint, input)
      expectError(endpoint, over, 'rate_limited')
      expect(over.headers).toMatchObject({ ...bucket(0), 'retry-after': String(tokenMs / 1000) })
    }
    const unknown = await rest(limited, name, endpoint, input, { as: 'anonymous' })
    expect([unknown.status, headersOf(unknown.headers)], 'who is not known is not counted').toEqual([401, []])
    limited.wait(tokenMs)
    const again = await rest(limited, name, endpoint, input, { query: { bogus: 1 } })
    expect([again.status, again.headers['x-ratelimit-remaining']]).toEqual([400, '0'])
    expect((await rest(limited, name, endpoint, input)).status).toBe(429)
    limited.wait(60_000)
    const full = await rest(limited, name, endpoint, input, { query: { bogus: 1 } })
    expect(full.headers).toMatchObject(bucket(limit - 1))
  },
)

const [usersList, schemasGet, workspacesUpdate] = ['users.list', 'schemas.get', 'workspaces.update'].map(
  (name) => all.find(([one]) => one === name)![1],
)

test('refusals of those who are known count too: foreign workspaces, roles, kinds of credential', async () => {
  const attempts: [Caller, string, typeof usersList, string, number][] = [
    ['admin', 'users.list', usersList, 'no-such-workspace', 404],
    ['viewer', 'workspaces.update', workspacesUpdate, 'acme', 403],
    ['adminKey', 'workspaces.update', workspacesUpdate, 'acme', 401],
  ]
  for (const [as, name, endpoint, workspace, status] of attempts) {
    limited.wait(60_000)
    const input = { workspace, ...(name === 'workspaces.update' && { body: {} }) }
    const outcome = await rest(limited, name, endpoint!, input, { as })
    expect([name, outcome.status]).toEqual([name, status])
    expect(outcome.headers).toMatchObject(bucket(limit - 1))
  }
})

test('all callers in a workspace share its buckets, and no other workspace does', async () => {
  limited.wait(60_000)
  const left = async (as: Caller, workspace = 'acme') =>
    (await rest(limited, 'users.list', usersList!, { workspace }, { as })).headers['x-ratelimit-remaining']
  expect([await left('admin'), await left('member'), await left('memberKey')]).toEqual(['19', '18', '17'])
  expect(await left('stranger', 'other')).toBe('19')
})

test('a caller outside of workspaces has buckets of his own', async () => {
  limited.wait(60_000)
  const [name, endpoint] = closed.find(([, one]) => !inWorkspace(one))!
  const left = async (as: Caller) => (await rest(limited, name, endpoint, {}, { as })).headers['x-ratelimit-remaining']
  expect([await left('admin'), await left('admin'), await left('member')]).toEqual(['19', '18', '19'])
})

test('neither a jump of the clock opens a bucket nor does it lock anyone out', async () => {
  const status = async () =>
    (await rest(limited, 'schemas.get', schemasGet!, { workspace: 'acme', object: 'deal' })).status
  limited.wait(60_000)
  for (let call = 0; call < limit; call++) expect(await status()).toBe(200)
  for (const jump of [3_600_000, 366 * 24 * 3_600_000, -400 * 24 * 3_600_000]) {
    await limited.advance(jump)
    expect(await status(), `after a jump of ${jump} ms`).toBe(429)
    limited.wait(tokenMs)
    expect(await status()).toBe(200)
    expect(await status()).toBe(429)
  }
  await limited.advance(34 * 24 * 3_600_000 - 3_600_000)
})

test('a batch of tRPC counts each call, says what the nearest limit is, and when to come again', async () => {
  limited.wait(60_000)
  const batch = async (calls: readonly [string, object][]) => {
    const input = JSON.stringify(Object.fromEntries(calls.map(([, one], index) => [index, one])))
    const names = calls.map(([name]) => name).join(',')
    const url = `${limited.origin}/trpc/${names}?batch=1&input=${encodeURIComponent(input)}`
    return limited.http.send({
      method: 'GET',
      url,
      headers: { Authorization: `Bearer ${limited.credentials.cast.tokens.admin}` },
    })
  }
  const read: [string, object] = ['schemas.get', { workspace: 'acme', object: 'deal' }]
  const users: [string, object] = ['users.list', { workspace: 'acme' }]
  const first = await batch([...Array.from({ length: 12 }, () => read), users])
  expect(first.status).toBe(200)
  expect(first.headers).toMatchObject(bucket(limit - 12))
  expect(first.headers['retry-after']).toBeUndefined()
  const second = await batch([users, ...Array.from({ length: 12 }, () => read)])
  expect(second.status).toBe(207)
  expect(
    second.body.map((one: { error?: { data: { httpStatus: number } } }) => one.error?.data.httpStatus ?? 200),
  ).toEqual([...Array.from({ length: 9 }, () => 200), 429, 429, 429, 429])
  expect(second.headers).toMatchObject({ ...bucket(0), 'retry-after': '3' })
  expect((await batch([read, read])).status).toBe(429)
  const alone = await trpc(limited, 'schemas.get', schemasGet!, { workspace: 'acme', object: 'deal' })
  expect([alone.status, alone.headers['retry-after']]).toEqual([429, '3'])
})

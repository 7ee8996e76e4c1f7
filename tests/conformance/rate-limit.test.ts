import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { all, exampleInput } from './endpoints.ts'
import { expectError, expectSuccess } from './expect.ts'
import { rest, surfaces } from './surfaces.ts'

const unlimited = await startApp()
const limit = 100
const limited = await startApp({ rateLimitPerMinute: limit, beside: unlimited })

const headersOf = (headers: Readonly<Record<string, string | undefined>>) => Object.keys(headers).filter((name) => /rate-?limit|retry-after/.test(name))

test.for(all)('%s: no headers where there is no limit', async ([name, endpoint]) => {
  const { headers } = await rest(unlimited, name, endpoint, await exampleInput(unlimited, name, endpoint))
  expect(headersOf(headers)).toEqual([])
})

test.for(all)('%s: tells what is left, in success and failure, and 429 when nothing is', async ([name, endpoint]) => {
  const input = await exampleInput(unlimited, name, endpoint)
  const first = await rest(limited, name, endpoint, input)
  expectSuccess(endpoint, first)
  const policy = { 'x-ratelimit-limit': String(limit), 'ratelimit-policy': `"default";q=${limit};w=60` }
  expect(first.headers).toMatchObject({ ...policy, 'x-ratelimit-remaining': String(limit - 1) })
  expect(first.headers['x-ratelimit-reset']).toMatch(/^(60|[1-5]?\d)$/)
  expect(first.headers['ratelimit']).toBe(`"default";r=${limit - 1};t=${first.headers['x-ratelimit-reset']}`)
  const refused = await rest(limited, name, endpoint, input, { query: { bogus: 1 } })
  expect([refused.status, refused.headers['x-ratelimit-remaining']]).toEqual([400, String(limit - 2)])
  await Promise.all(Array.from({ length: limit - 2 }, () => rest(limited, name, endpoint, input, { query: { bogus: 1 } })))
  for (const surface of Object.values(surfaces)) {
    const over = await surface(limited, name, endpoint, input)
    expectError(endpoint, over, 'rate_limited')
    expect(over.headers).toMatchObject({ ...policy, 'x-ratelimit-remaining': '0' })
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(over.headers['retry-after'])).toBeLessThanOrEqual(60)
  }
  expect((await rest(limited, name, endpoint, input, { as: 'nobody' })).status, 'who is not known is not counted').toBe(401)
})

test('a batch of tRPC counts each call', async () => {
  const names = Array.from({ length: 50 }, () => 'schemas.get').join(',')
  const input = JSON.stringify(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [index, { workspace: 'acme', object: 'deal' }])))
  const url = `${limited.origin}/trpc/${names}?batch=1&input=${encodeURIComponent(input)}`
  const { status } = await limited.http.send({ method: 'GET', url, headers: { Authorization: `Bearer ${limited.credentials.cast.tokens.admin}` } })
  expect([207, 429]).toContain(status)
})

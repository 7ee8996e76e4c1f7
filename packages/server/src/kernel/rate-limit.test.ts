import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DatabaseCrowded } from '../db/errors.ts'
import { CallShares, RateLimiter, rateHeaders } from './rate-limit.ts'

const policies = fc.record({
  name: fc.constant('default'),
  limit: fc.integer({ min: 1, max: 5000 }),
  windowSeconds: fc.integer({ min: 1, max: 3600 }),
})

function limiterAt(policy: { name: string; limit: number; windowSeconds: number }) {
  const time = { ms: 1e9 }
  return { time, limiter: new RateLimiter(policy, { monotonicMs: () => time.ms }) }
}

test('a full bucket gives its limit at once, and then nothing', () => {
  fc.assert(
    fc.property(policies, (policy) => {
      const { limiter } = limiterAt(policy)
      for (let taken = 1; taken <= policy.limit; taken++)
        expect(limiter.take('k')).toMatchObject({ allowed: true, remaining: policy.limit - taken })
      expect(limiter.take('k')).toMatchObject({ allowed: false, remaining: 0 })
      expect(limiter.take('another').allowed).toBe(true)
      expect(limiter.refused).toBe(1)
    }),
    { numRuns: 10 },
  )
})

test('a caller who waits as long as told finds a token, and no sooner a full bucket than told', () => {
  fc.assert(
    fc.property(policies, fc.integer({ min: 1, max: 10 }), (policy, calls) => {
      const { limiter, time } = limiterAt(policy)
      for (let call = 0; call < policy.limit + calls; call++) limiter.take('k')
      const { retryAfterSeconds, resetSeconds } = limiter.look('k')
      expect(retryAfterSeconds).toBeGreaterThan(0)
      expect(limiter.take('k').allowed).toBe(false)
      time.ms += (resetSeconds - 1) * 1000 - 1
      if (resetSeconds > 1) expect(limiter.look('k').remaining).toBeLessThan(policy.limit)
      time.ms += 1001
      expect(limiter.look('k')).toEqual({ remaining: policy.limit, resetSeconds: 0, retryAfterSeconds: 0 })
      for (let call = 0; call < policy.limit; call++) limiter.take('k')
      time.ms += limiter.look('k').retryAfterSeconds * 1000
      expect(limiter.take('k').allowed).toBe(true)
    }),
  )
})

test('in any time no more calls get through than the bucket holds and fills in that time', () => {
  fc.assert(
    fc.property(
      policies,
      fc.array(fc.tuple(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 1, max: 200 })), {
        minLength: 1,
        maxLength: 30,
      }),
      (policy, turns) => {
        const { limiter, time } = limiterAt(policy)
        const perMs = policy.limit / policy.windowSeconds / 1000
        const passed: number[] = []
        for (const [waitMs, calls] of turns) {
          time.ms += waitMs
          for (let call = 0; call < calls; call++) if (limiter.take('k').allowed) passed.push(time.ms)
        }
        for (const [first, since] of passed.entries()) {
          const count = passed.length - first
          expect(count).toBeLessThanOrEqual(policy.limit + (passed.at(-1)! - since) * perMs + 1e-3)
        }
      },
    ),
    { numRuns: 50 },
  )
})

test('looking takes nothing', () => {
  const { limiter } = limiterAt({ name: 'default', limit: 2, windowSeconds: 60 })
  for (let look = 0; look < 5; look++)
    expect(limiter.look('k')).toEqual({ remaining: 2, resetSeconds: 0, retryAfterSeconds: 0 })
  limiter.take('k')
  for (let look = 0; look < 5; look++)
    expect(limiter.look('k')).toEqual({ remaining: 1, resetSeconds: 30, retryAfterSeconds: 0 })
})

test('ten a second with a burst of a hundred is a bucket too', () => {
  const { limiter, time } = limiterAt({ name: 'webhooks', limit: 100, windowSeconds: 10 })
  for (let call = 0; call < 100; call++) expect(limiter.take('k').allowed).toBe(true)
  let allowed = 0
  for (let step = 0; step < 50; step++) {
    time.ms += 100
    for (let call = 0; call < 3; call++) if (limiter.take('k').allowed) allowed++
  }
  expect(allowed).toBe(50)
})

test('the headers say the same in both spellings', () => {
  expect(
    rateHeaders(
      { name: 'default', limit: 3000, windowSeconds: 60 },
      { remaining: 2998, resetSeconds: 1, retryAfterSeconds: 0 },
    ),
  ).toEqual({
    'X-RateLimit-Limit': '3000',
    'X-RateLimit-Remaining': '2998',
    'X-RateLimit-Reset': '1',
    'RateLimit-Policy': '"default";q=3000;w=60',
    RateLimit: '"default";r=2998;t=1',
  })
})

test('a workspace has no more calls at work than its share, and another has its own', async () => {
  const shares = new CallShares(2)
  const end = Promise.withResolvers<string>()
  const atWork = [shares.run('one', () => end.promise), shares.run('one', () => end.promise)]
  await expect(shares.run('one', async () => 'third')).rejects.toThrow(DatabaseCrowded)
  expect(await shares.run('other', async () => 'first')).toBe('first')
  end.resolve('ended')
  expect(await Promise.all(atWork)).toEqual(['ended', 'ended'])
  expect(await shares.run('one', async () => 'next')).toBe('next')
})

test('a call that fails has ended for the share of its workspace', async () => {
  const shares = new CallShares(1)
  for (let turn = 0; turn < 3; turn++)
    await expect(shares.run('one', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

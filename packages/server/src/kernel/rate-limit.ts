import { LRUCache } from 'lru-cache'
import { roomFor } from '../lib/caches.ts'
import type { Clock } from './clock.ts'
import { DatabaseCrowded } from '../db/errors.ts'
import { Failure } from './errors.ts'

/** A bucket of `limit` tokens that refills evenly, from empty to full in `windowSeconds`: burst and rate in one. */
export type RatePolicy = { readonly name: string; readonly limit: number; readonly windowSeconds: number }

/** The state of a bucket. Times are in whole seconds, rounded up. */
export type RateState = {
  readonly remaining: number
  /** Until it is full. */
  readonly resetSeconds: number
  /** Until a token is available; 0 if one is. */
  readonly retryAfterSeconds: number
}

type Bucket = { tokens: number; filledMs: number; unshared: number }

/** Tokens that a process has taken, by the key of their bucket. */
export type TakenTokens = readonly (readonly [key: string, tokens: number])[]

/**
 * The most buckets kept. Beyond that the least recently used one is evicted, and an evicted bucket counts as full; most
 * are full by then anyway.
 */
const bucketsMax = 50_000

/**
 * Token buckets by key, in this process, on a monotonic clock (docs/decisions/0029). A bucket is refilled when it is
 * read, so nothing runs in the background.
 */
export class RateLimiter {
  readonly policy: RatePolicy
  /** Calls that found their bucket empty. */
  refused = 0
  readonly #monotonicMs: Clock['monotonicMs']
  readonly #tokensPerMs: number
  readonly #buckets = new LRUCache<string, Bucket>(roomFor(bucketsMax))
  /** Buckets of which this process has taken a hundredth of the limit since it told others. */
  readonly #toShare = new Set<string>()
  readonly #shareFrom: number
  #onTaken: () => void = () => undefined

  constructor(policy: RatePolicy, { monotonicMs }: Pick<Clock, 'monotonicMs'>) {
    this.policy = policy
    this.#monotonicMs = monotonicMs
    this.#tokensPerMs = policy.limit / (policy.windowSeconds * 1000)
    this.#shareFrom = policy.limit / 100
  }

  /** Takes a token, if there is one. */
  take(key: string): RateState & { readonly allowed: boolean } {
    const now = this.#monotonicMs()
    let bucket = this.#buckets.get(key)
    if (bucket === undefined) {
      bucket = { tokens: this.policy.limit, filledMs: now, unshared: 0 }
      this.#buckets.set(key, bucket)
    }
    bucket.tokens = this.#tokensAt(bucket, now)
    bucket.filledMs = now
    const allowed = whole(bucket.tokens) >= 1
    if (allowed) {
      bucket.tokens = Math.max(0, bucket.tokens - 1)
      this.#noteTaken(key, bucket)
    } else this.refused++
    return { allowed, ...this.#stateOf(bucket.tokens) }
  }

  /** Calls `listener` when tokens have been taken that other processes have to know of. */
  onTaken(listener: () => void): void {
    this.#onTaken = listener
  }

  /** Returns tokens that were taken here, of up to `most` buckets, and that were not returned before. */
  drainTaken(most: number): TakenTokens {
    const keys = [...this.#toShare].slice(0, most)
    return keys.flatMap((key) => {
      this.#toShare.delete(key)
      const bucket = this.#buckets.peek(key)
      if (bucket === undefined) return []
      const { unshared } = bucket
      bucket.unshared = 0
      return [[key, unshared] as const]
    })
  }

  #noteTaken(key: string, bucket: Bucket): void {
    bucket.unshared++
    if (bucket.unshared < this.#shareFrom) return
    this.#toShare.add(key)
    this.#onTaken()
  }

  /**
   * Takes further tokens for a call that was let through and turned out expensive. The bucket may go into debt, and
   * refills from there.
   */
  charge(key: string, tokens: number): void {
    const now = this.#monotonicMs()
    const bucket = this.#buckets.get(key) ?? { tokens: this.policy.limit, filledMs: now, unshared: 0 }
    this.#buckets.set(key, { ...bucket, tokens: this.#tokensAt(bucket, now) - tokens, filledMs: now })
  }

  /** Reads the state without taking a token. */
  look(key: string): RateState {
    const bucket = this.#buckets.peek(key)
    return this.#stateOf(bucket === undefined ? this.policy.limit : this.#tokensAt(bucket, this.#monotonicMs()))
  }

  #tokensAt({ tokens, filledMs }: Pick<Bucket, 'tokens' | 'filledMs'>, now: number): number {
    return Math.min(this.policy.limit, tokens + (now - filledMs) * this.#tokensPerMs)
  }

  #stateOf(tokens: number): RateState {
    const secondsTo = (wanted: number): number =>
      Math.ceil(Math.max(0, wanted - tokens - negligible) / this.#tokensPerMs / 1000)
    return {
      remaining: Math.max(0, whole(tokens)),
      resetSeconds: secondsTo(this.policy.limit),
      retryAfterSeconds: secondsTo(1),
    }
  }
}

/**
 * Fractions add up to slightly less than they should: a caller that waits exactly as long as it was told must get its
 * token.
 */
const negligible = 1e-6

const whole = (tokens: number): number => Math.floor(tokens + negligible)

/**
 * The bucket that a call takes its token from: one for each operation in each workspace, or for each caller outside of
 * a workspace.
 */
export const bucketOf = (operation: string, workspaceOrActorId: string): string => `${workspaceOrActorId}:${operation}`

/** The customary headers and the IETF pair (draft-ietf-httpapi-ratelimit-headers). */
export const rateHeaders = (
  { name, limit, windowSeconds }: RatePolicy,
  { remaining, resetSeconds }: RateState,
): Record<string, string> => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(resetSeconds),
  'RateLimit-Policy': `"${name}";q=${limit};w=${windowSeconds}`,
  RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
})

/** A limit that an operator sets per minute; 0 means none. */
export const perMinute = (name: string, limit: number, clock: Clock): RateLimiter | undefined =>
  limit === 0 ? undefined : new RateLimiter({ name, limit, windowSeconds: 60 }, clock)

export const perHour = (name: string, limit: number, clock: Clock): RateLimiter | undefined =>
  limit === 0 ? undefined : new RateLimiter({ name, limit, windowSeconds: 3600 }, clock)

/**
 * Limits how many calls of one workspace are at work. What they wait for, such as the one writer of SQLite or a
 * connection to Postgres, has queues for all workspaces: one that has its share there leaves room for the others, and
 * is itself told to try again (docs/decisions/0235).
 */
export class CallShares {
  readonly #callsMax: number
  readonly #atWork = new Map<string, number>()

  constructor(callsMax: number) {
    this.#callsMax = callsMax
  }

  async run<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
    const atWork = this.#atWork.get(workspaceId) ?? 0
    if (atWork >= this.#callsMax) throw new DatabaseCrowded(`${atWork} calls of this workspace are at work already`)
    this.#atWork.set(workspaceId, atWork + 1)
    try {
      return await work()
    } finally {
      const left = (this.#atWork.get(workspaceId) ?? 1) - 1
      if (left === 0) this.#atWork.delete(workspaceId)
      else this.#atWork.set(workspaceId, left)
    }
  }
}

/** Requests from one network to addresses that do not exist, at once and in a minute. */
const missesPerMinute = 120

/** Addresses that were found: more than send to one server within a minute. */
const knownMax = 10_000

/**
 * Stands before addresses that are their own credential. An address is found by a read before its body is read, and a
 * network that keeps asking for addresses that do not exist is refused without a read. Addresses that were found
 * recently stay open to it: senders share networks (docs/decisions/0048).
 */
export class AddressGate {
  readonly #misses: RateLimiter
  readonly #known = new LRUCache<string, true>(roomFor(knownMax))

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#misses = new RateLimiter({ name: 'misses', limit: missesPerMinute, windowSeconds: 60 }, clock)
  }

  /** Returns what `find` finds at an address; undefined counts as a miss of the network. */
  async find<T>(network: string, address: string, find: () => Promise<T | undefined>): Promise<T | undefined> {
    if (!this.#known.has(address)) this.requireTrust(network)
    const found = await find()
    if (found === undefined) {
      this.#known.delete(address)
      this.#misses.take(network)
    } else this.#known.set(address, true)
    return found
  }

  /** Throws `rate_limited` for a network that has missed too often. */
  requireTrust(network: string): void {
    const { remaining, retryAfterSeconds } = this.#misses.look(network)
    if (remaining > 0) return
    const detail = `Your network has requested ${missesPerMinute} addresses that do not exist.`
    throw new Failure({ code: 'rate_limited', detail }, { retryAfterSeconds })
  }
}

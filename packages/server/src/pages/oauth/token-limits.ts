import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../kernel/clock.ts'
import { rateHeaders, RateLimiter } from '../../kernel/rate-limit.ts'

/**
 * A request that fails costs as much as so many that succeed: an app may have thousands of people, a guess is always a
 * failure.
 */
const successesOfAFailure = 60

/** Apps that are not registered share one bucket at each address, so that made-up names are no way around it. */
const unknownClient = 'unknown'

type LimitedRequest = { readonly address: string; readonly limiter: RateLimiter; key?: string }

/**
 * The limit of one app at one address: `failuresPerMinute` of its requests may fail, and sixty times as many succeed; 0
 * is none.
 */
export const tokenLimiter = (failuresPerMinute: number, clock: Clock): RateLimiter | undefined =>
  failuresPerMinute === 0
    ? undefined
    : new RateLimiter({ name: 'token', limit: failuresPerMinute * successesOfAFailure, windowSeconds: 60 }, clock)

/**
 * Counts who asks for tokens, by app and address: many apps behind one address do not starve each other, and a secret
 * is guessed at slowly. Which app it is the library finds out while it reads the request.
 */
export class TokenLimits {
  readonly #limiter: RateLimiter | undefined
  readonly #requests = new WeakMap<IncomingMessage, LimitedRequest>()

  constructor(limiter: RateLimiter | undefined) {
    this.#limiter = limiter
  }

  /** Has a request counted, as soon as it is known of which app it is. */
  watch(request: IncomingMessage, address: string): void {
    if (this.#limiter !== undefined) this.#requests.set(request, { address, limiter: this.#limiter })
  }

  /**
   * Counts a watched request for an app, once; how it stands goes to `setHeader`. The seconds to wait where there were
   * too many.
   */
  take(
    request: IncomingMessage,
    clientId: string | undefined,
    setHeader: (name: string, value: string) => void,
  ): number | undefined {
    const given = this.#requests.get(request)
    if (given === undefined || given.key !== undefined) return undefined
    given.key = `${clientId ?? unknownClient} ${given.address}`
    const state = given.limiter.take(given.key)
    for (const [name, value] of Object.entries(rateHeaders(given.limiter.policy, state))) setHeader(name, value)
    if (state.allowed) return undefined
    setHeader('Retry-After', String(state.retryAfterSeconds))
    return state.retryAfterSeconds
  }

  /** Has a request cost no more than one that succeeds, whatever becomes of it. */
  excuse(request: IncomingMessage): void {
    this.#requests.delete(request)
  }

  /** Takes the rest of what a failure costs. */
  settle(request: IncomingMessage, status: number): void {
    const given = this.#requests.get(request)
    if (given?.key !== undefined && status >= 400 && status < 500 && status !== 429)
      given.limiter.charge(given.key, successesOfAFailure - 1)
  }
}

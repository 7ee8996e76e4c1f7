import { LRUCache } from 'lru-cache'
import { roomFor } from '../../lib/room-for.ts'
import type { Clock } from '../clock.ts'
import { Failure } from '../errors.ts'
import { RateLimiter } from '../rate-limit.ts'

/** Requests from one network to addresses that do not exist, at once and in a minute. */
const missesPerMinute = 120

/** Addresses that were found: more than send to one server within a minute. */
const knownMax = 10_000

/**
 * Stands before addresses that are their own credential. An address is found by a read before its body is read, and a
 * network that keeps asking for addresses that do not exist is refused without a read. Addresses that were found
 * recently stay open to it: senders share networks (docs/decisions/0280).
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

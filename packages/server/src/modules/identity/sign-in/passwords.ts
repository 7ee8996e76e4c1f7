import type { Tx } from '../../../db/tx.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { newSecret } from '../../../kernel/ids.ts'
import { once } from '../../../lib/promises.ts'
import { normalised, passwordBytesMax } from './password-rules.ts'
import { putPassword } from './store.ts'

/**
 * argon2id with the minimum settings of OWASP's Password Storage Cheat Sheet: some 10 ms on one core, and 19 MiB each
 * on at most as many threads as libuv has. The number of the algorithm is that of RFC 9106; the package's own enum
 * cannot be imported.
 */
const settings = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Native code, loaded with the first password. */
const argon2 = once(() => import('@node-rs/argon2'))

/** Hashes and verifies passwords. */
export class Passwords {
  readonly #clock: Clock
  readonly #dummy = once(() => this.hash(newSecret(16)))

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async hash(password: string): Promise<string> {
    return (await argon2()).hash(normalised(password), settings)
  }

  /** Returns whether a password is correct; without a stored hash it takes as long and returns false. */
  async isRight(password: string, stored: string | undefined): Promise<boolean> {
    const against = stored ?? (await this.#dummy())
    const given = normalised(password)
    const isRight = await (await argon2()).verify(against, Buffer.byteLength(given) > passwordBytesMax ? '' : given)
    return isRight && stored !== undefined
  }

  /** Stores a user's new password hash. The hash is computed before the transaction, which must not wait for it. */
  put(tx: Tx, userId: string, passwordHash: string): Promise<void> {
    return putPassword(tx, { user_id: userId, password_hash: passwordHash, updated_at: this.#clock.now() })
  }
}

import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../kernel/clock.ts'
import { memberOf } from '../../../lib/guards.ts'
import type { KeyRing } from '../../../lib/key-ring.ts'

/** Time that a person has to use their passkey. */
export const challengeMs = 15 * 60_000

/** Random bytes of a challenge (WebAuthn §13.4.3). */
const nonceBytes = 16

type Purpose = 'passkey.register' | 'passkey.sign-in'

/** Challenges that the server signs, so that none is stored; each names the user it is for, if there is one. */
export class Challenges {
  readonly #keys: KeyRing
  readonly #clock: Clock

  constructor(keys: KeyRing, clock: Clock) {
    this.#keys = keys
    this.#clock = clock
  }

  create(purpose: Purpose, userId = ''): Uint8Array<ArrayBuffer> {
    const nonce = randomBytes(nonceBytes).toString('base64url')
    const content = JSON.stringify({ at: this.#clock.now(), userId, nonce })
    return new Uint8Array(Buffer.from(this.#keys.sign(Buffer.from(content), purpose), 'base64url'))
  }

  /** Returns whether a challenge is ours, for this user, and not too old. */
  isCurrent(challenge: string, purpose: Purpose, userId = ''): boolean {
    const content = this.#keys.verify(challenge, purpose)
    if (content === undefined) return false
    const given: unknown = JSON.parse(content.toString())
    const age = this.#clock.now() - Number(memberOf(given, 'at'))
    return Math.abs(age) < challengeMs && memberOf(given, 'userId') === userId
  }
}

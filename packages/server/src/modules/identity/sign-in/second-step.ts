import type { Database } from '../../../db/tx.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { memberOf, textOf } from '../../../lib/guards.ts'
import type { KeyRing } from '../../../lib/key-ring.ts'
import { hasSecondFactor, type SecondFactors } from '../factors/index.ts'
import { attemptKey, countAttempt } from './attempts.ts'
import type { Sessions } from './sessions.ts'
import { findPasswordTime, forgetAttempts } from './store.ts'

type Options = {
  readonly database: Database
  readonly clock: Clock
  readonly keys: KeyRing
  readonly sessions: Sessions
  readonly factors: SecondFactors
}

/** The result of a first step: a session, or a token with which the second step is taken. */
export type FirstStep = { readonly token: string } | { readonly pending: string }

/** Time from the first step to the second. */
const pendingMs = 10 * 60_000

const purpose = 'sign-in.second-step'

/** Asks people with a second factor for it, once they have passed a first step. */
export class SecondStep {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** Starts a session, or asks for the second factor where there is one. */
  async after(userId: string, userAgent: string | undefined): Promise<FirstStep> {
    const { database, clock, keys, sessions } = this.#options
    if (!(await hasSecondFactor(database.reader, userId)))
      return { token: await database.write((tx) => sessions.start(tx, userId, userAgent)) }
    const passwordTime = await findPasswordTime(database.reader, userId)
    const content = { userId, at: clock.now(), passwordTime: passwordTime ?? 0 }
    return { pending: keys.sign(Buffer.from(JSON.stringify(content)), purpose) }
  }

  /** Starts a session, given a code; `expired` if the first step was taken too long ago. */
  async finish(
    pending: string,
    code: string,
    userAgent: string | undefined,
  ): Promise<{ readonly token: string } | 'wrong' | 'locked' | 'expired'> {
    const userId = await this.#userOf(pending)
    if (userId === undefined) return 'expired'
    const outcome = await this.prove(userId, code)
    if (outcome !== 'right') return outcome
    const { database, sessions } = this.#options
    return { token: await database.write((tx) => sessions.start(tx, userId, userAgent)) }
  }

  /** Checks a code of a user, and uses it up; as many wrong ones as of passwords lock the second step. */
  async prove(userId: string, code: string): Promise<'right' | 'wrong' | 'locked'> {
    const { database, clock, factors } = this.#options
    const key = attemptKey(`second-factor:${userId}`)
    if (!(await database.write((tx) => countAttempt(tx, key, clock.now())))) return 'locked'
    return database.write(async (tx) => {
      if (!(await factors.use(tx, userId, code))) return 'wrong'
      await forgetAttempts(tx, key)
      return 'right'
    })
  }

  /** The user who has taken the first step; a password that was set meanwhile ends it. */
  async #userOf(pending: string): Promise<string | undefined> {
    const { database, clock, keys } = this.#options
    const content = keys.verify(pending, purpose)
    if (content === undefined) return undefined
    const given: unknown = JSON.parse(content.toString())
    const userId = textOf(memberOf(given, 'userId'))
    const age = clock.now() - Number(memberOf(given, 'at'))
    const passwordTime = (await findPasswordTime(database.reader, userId)) ?? 0
    return Math.abs(age) < pendingMs && memberOf(given, 'passwordTime') === passwordTime ? userId : undefined
  }
}

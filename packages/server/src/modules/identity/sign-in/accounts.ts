import type { Database, Tx } from '../../../db/tx.ts'
import type { Telling } from '../../../kernel/invoke/runtime.ts'
import { hashSecret } from '../../../kernel/ids.ts'
import { findUser, findUserByEmail, type UserRow } from '../users/index.ts'
import { hasSecondFactor } from '../factors/index.ts'
import { attemptKey, countAttempt } from './attempts.ts'
import type { Passwords } from './passwords.ts'
import { insertPasswordLink, linkMs, linksMax, type SendPasswordLink } from './password-links.ts'
import type { FirstStep, SecondStep } from './second-step.ts'
import type { Sessions } from './sessions.ts'
import { countLinks, deleteLink, findLink, findPassword, forgetAttempts } from './store.ts'
import { endAccess, takeOver } from './takeover.ts'

type Options = Telling & {
  readonly database: Database
  readonly passwords: Passwords
  readonly sessions: Sessions
  readonly secondStep: SecondStep
  readonly authUrl: string
  readonly sendPasswordLink: SendPasswordLink
  readonly onError: (error: unknown) => void
  /** Called when access of apps and programs has been revoked, so that this node stops accepting it at once. */
  readonly onAccessEnded: () => void
}

/**
 * The result of a sign-in: the token of a new session, or the reason for refusing one. A wrong address and a wrong
 * password give the same answer.
 */
export type SignIn = { readonly token: string } | 'wrong' | 'locked'

/** The operations of people on their own accounts. */
export class Accounts {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** Starts a session, or asks for the second factor of an account that has one. */
  async signIn(
    email: string,
    password: string,
    userAgent: string | undefined,
  ): Promise<FirstStep | 'wrong' | 'locked'> {
    const found = await this.#check(email, password)
    return typeof found === 'string' ? found : this.#options.secondStep.after(found.id, userAgent)
  }

  /**
   * Sends a link to the account of the address. The caller does not wait, so the answer takes as long if there is no
   * account.
   */
  requestLink(email: string): void {
    const { database, clock, authUrl, sendPasswordLink, onError } = this.#options
    const work = async () => {
      const user = await findUserByEmail(database.reader, email)
      if (user === undefined) return
      const now = clock.now()
      // An attempt to flood a mailbox is limited to a few mails, each of which still works.
      const url = await database.write(async (tx) =>
        (await countLinks(tx, user.id, now - linkMs)) < linksMax
          ? insertPasswordLink(tx, { userId: user.id, authUrl, now, verifies: sendPasswordLink.byMail })
          : undefined,
      )
      if (url !== undefined) await sendPasswordLink.send({ email: user.email, url })
    }
    work().catch(onError)
  }

  /** The owner of a link; undefined if it was used, has expired, or never existed. */
  async findLinkOwner(token: string): Promise<UserRow | undefined> {
    const { database, clock } = this.#options
    const link = await findLink(database.reader, hashSecret(token))
    return link === undefined || clock.now() >= link.created_at + linkMs
      ? undefined
      : findUser(database.reader, link.user_id)
  }

  /** The owner of a link as the page for it shows them. */
  async describeLinkOwner(
    token: string,
  ): Promise<{ readonly email: string; readonly hasPassword: boolean } | undefined> {
    const owner = await this.findLinkOwner(token)
    if (owner === undefined) return undefined
    return {
      email: owner.email,
      hasPassword: (await findPassword(this.#options.database.reader, owner.id)) !== undefined,
    }
  }

  /**
   * Sets a password by a link, ends all sessions and app consents, and unlocks the address; undefined if the link is no
   * longer valid.
   */
  async usePasswordLink(
    token: string,
    password: string,
  ): Promise<{ readonly userId: string; readonly isFirst: boolean } | undefined> {
    const { database, passwords, onAccessEnded } = this.#options
    const owner = await this.findLinkOwner(token)
    if (owner === undefined) return undefined
    const passwordHash = await passwords.hash(password)
    const done = await database.write(async (tx) => {
      const [link, user] = [await findLink(tx, hashSecret(token)), await findUser(tx, owner.id)]
      if (link === undefined || user === undefined || !(await deleteLink(tx, hashSecret(token)))) return undefined
      if (link.verifies && user.unverified_since !== null) await takeOver(tx, this.#options, user)
      const isFirst = (await findPassword(tx, user.id)) === undefined && !(await hasSecondFactor(tx, user.id))
      await this.#replacePassword(tx, user, passwordHash)
      return { userId: user.id, isFirst }
    })
    if (done !== undefined) onAccessEnded()
    return done
  }

  /** Changes a password, given the current one; returns the token of the one remaining session. */
  async changePassword(
    userId: string,
    given: { readonly current: string; readonly next: string },
    userAgent: string | undefined,
  ): Promise<SignIn> {
    const { database, passwords, sessions, onAccessEnded } = this.#options
    const user = await findUser(database.reader, userId)
    const found = await this.#check(user?.email ?? '', given.current)
    if (typeof found === 'string') return found
    const passwordHash = await passwords.hash(given.next)
    const token = await database.write(async (tx) => {
      await this.#replacePassword(tx, found, passwordHash)
      return sessions.start(tx, found.id, userAgent)
    })
    onAccessEnded()
    return { token }
  }

  async #check(email: string, password: string): Promise<UserRow | 'wrong' | 'locked'> {
    const { database, clock, passwords } = this.#options
    const key = attemptKey(email)
    if (!(await database.write((tx) => countAttempt(tx, key, clock.now())))) return 'locked'
    const user = await findUserByEmail(database.reader, email)
    const stored = user && (await findPassword(database.reader, user.id))
    if (!(await passwords.isRight(password, stored)) || user === undefined) return 'wrong'
    await database.write((tx) => forgetAttempts(tx, key))
    return user
  }

  async #replacePassword(tx: Tx, user: UserRow, passwordHash: string): Promise<void> {
    await this.#options.passwords.put(tx, user.id, passwordHash)
    await endAccess(tx, user, this.#options.clock.now())
  }
}

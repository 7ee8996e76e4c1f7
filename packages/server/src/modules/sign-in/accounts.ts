import type { Database, Tx } from '../../db/tx.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newSecret } from '../../kernel/ids.ts'
import { emailKey, findUser, findUserByEmail, type UserRow } from '../users/index.ts'
import { attemptKey, countAttempt, forgetAttempts } from './attempts.ts'
import type { Passwords } from './passwords.ts'
import { hashToken, tokenBytes } from './secrets.ts'
import type { Sessions } from './sessions.ts'
import { deleteLink, deleteLinks, deleteSessions, findLink, findPassword, insertLink } from './store.ts'

/** How a link to set a password reaches its person: by e-mail, or by whoever reads the log. */
export type SendPasswordLink = (told: { readonly email: string; readonly url: string }) => Promise<void>

type Options = {
  readonly database: Database
  readonly clock: Clock
  readonly passwords: Passwords
  readonly sessions: Sessions
  readonly authUrl: string
  readonly sendPasswordLink: SendPasswordLink
  readonly onError: (error: unknown) => void
}

/** NIST SP 800-63B allows a day; whoever asks for a link is at the keyboard. */
export const linkMs = 3_600_000

/** Signing in: either the token of a new session, or why there is none. Wrong addresses and wrong passwords are told alike. */
export type SignIn = { readonly token: string } | 'wrong' | 'locked'

/** What people do with their own accounts. */
export class Accounts {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  async signIn(email: string, password: string, userAgent: string | undefined): Promise<SignIn> {
    const { database, sessions } = this.#options
    const found = await this.#check(email, password)
    if (typeof found === 'string') return found
    return { token: await database.write((tx) => sessions.start(tx, found.id, userAgent)) }
  }

  /** Sends a link to whoever has the address. Nobody waits for it, so the answer takes as long where nobody has. */
  requestLink(email: string): void {
    const { database, sendPasswordLink, onError } = this.#options
    const work = async () => {
      const user = await findUserByEmail(database.reader, email)
      if (user !== undefined) await sendPasswordLink({ email: user.email, url: await this.makeLink(user) })
    }
    work().catch(onError)
  }

  /** A link with which somebody sets their password; it works once, for an hour. */
  async makeLink({ id }: Pick<UserRow, 'id'>): Promise<string> {
    const { database, clock, authUrl } = this.#options
    const token = newSecret(tokenBytes)
    await database.write((tx) => insertLink(tx, { token_hash: hashToken(token), user_id: id, created_at: clock.now() }))
    return `${authUrl}/auth/password?token=${token}`
  }

  /** Whose link it is; undefined for one that was used, has expired, or never was. */
  async findLinkOwner(token: string): Promise<UserRow | undefined> {
    const { database, clock } = this.#options
    const link = await findLink(database.reader, hashToken(token))
    return link === undefined || clock.now() >= link.created_at + linkMs ? undefined : findUser(database.reader, link.user_id)
  }

  /** Sets a password by a link, ends all sessions, and unlocks the address; false where the link works no more. */
  async usePasswordLink(token: string, password: string): Promise<boolean> {
    const { database, passwords } = this.#options
    const owner = await this.findLinkOwner(token)
    if (owner === undefined) return false
    const passwordHash = await passwords.hash(password)
    return database.write(async (tx) => {
      if (!(await deleteLink(tx, hashToken(token)))) return false
      await this.#replacePassword(tx, owner, passwordHash)
      return true
    })
  }

  /** Changes a password by the one before; the token of the one session that is left. */
  async changePassword(userId: string, given: { readonly current: string; readonly next: string }, userAgent: string | undefined): Promise<SignIn> {
    const { database, passwords, sessions } = this.#options
    const user = await findUser(database.reader, userId)
    const found = await this.#check(user?.email ?? '', given.current)
    if (typeof found === 'string') return found
    const passwordHash = await passwords.hash(given.next)
    return database.write(async (tx) => {
      await this.#replacePassword(tx, found, passwordHash)
      return { token: await sessions.start(tx, found.id, userAgent) }
    })
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

  async #replacePassword(tx: Tx, { id, email }: UserRow, passwordHash: string): Promise<void> {
    await this.#options.passwords.put(tx, id, passwordHash)
    await deleteSessions(tx, id)
    await deleteLinks(tx, id)
    await forgetAttempts(tx, attemptKey(emailKey(email)))
  }
}

/** What somebody reads who asked for a link. */
export const passwordMail = ({ email, url }: Parameters<SendPasswordLink>[0]) => ({
  to: email,
  subject: 'Choose a new password',
  text: `Hello,

choose a new password for Kontor here:
${url}

The link works once, for an hour. If you did not ask for it, do nothing: your password stays as it is.
`,
})

import type { Database, Tx } from '../../../db/tx.ts'
import { dayMs, type Clock } from '../../../kernel/clock.ts'
import { hashSecret, newId, newSecret } from '../../../kernel/ids.ts'
import { throttle } from '../../../lib/throttle.ts'
import {
  deleteSession,
  deleteSessions,
  findSession,
  insertSession,
  listSessions,
  updateSession,
  type SessionRow,
} from './store.ts'

/** A session ends this long after it was last used, and after `sessionMsMax` in any case (NIST SP 800-63B §4.1.3). */
export const idleMsMax = 7 * dayMs
export const sessionMsMax = 30 * dayMs

const seenEveryMs = 60_000

/** The rest tells a person nothing more about the browser. */
const userAgentMax = 300

export type Session = { readonly sessionId: string; readonly userId: string; readonly authTime: number }

type Options = { readonly database: Database; readonly clock: Clock; readonly onError: (error: unknown) => void }

/** Browser sessions: the secret is in the cookie, and only its hash in the database. */
export class Sessions {
  readonly #options: Options
  readonly #mayNote: ReturnType<typeof throttle>

  constructor(options: Options) {
    this.#options = options
    this.#mayNote = throttle(options.clock, seenEveryMs)
  }

  async find(token: string): Promise<Session | undefined> {
    const { database, clock } = this.#options
    const row = await findSession(database.reader, hashSecret(token))
    if (row === undefined || hasEnded(row, clock.now())) return undefined
    this.#noteSeen(row)
    return { sessionId: row.id, userId: row.user_id, authTime: row.created_at }
  }

  /** Starts a session for a user; returns the token for the cookie. */
  async start(tx: Tx, userId: string, userAgent: string | undefined): Promise<string> {
    const token = newSecret(tokenBytes)
    const now = this.#options.clock.now()
    const row = {
      id: newId(now),
      token_hash: hashSecret(token),
      user_id: userId,
      user_agent: userAgent?.slice(0, userAgentMax).toWellFormed() ?? null,
      created_at: now,
      last_seen_at: now,
    }
    await insertSession(tx, row)
    return token
  }

  /** The sessions of a user, the most recently used first. */
  async list(userId: string): Promise<SessionRow[]> {
    const { database, clock } = this.#options
    return (await listSessions(database.reader, userId)).filter((row) => !hasEnded(row, clock.now()))
  }

  /** Ends the session of a cookie. */
  async end(token: string): Promise<void> {
    await this.#options.database.write((tx) => deleteSession(tx, hashSecret(token)))
  }

  /** Ends one of a user's sessions by its id. */
  async endById(userId: string, id: string): Promise<void> {
    await this.#options.database.write((tx) => deleteSessions(tx, userId, id))
  }

  /** Written at most once a minute and never awaited. */
  #noteSeen({ id, last_seen_at }: SessionRow): void {
    if (!this.#mayNote(id, last_seen_at)) return
    const { database, clock, onError } = this.#options
    database.write((tx) => updateSession(tx, { id, last_seen_at: clock.now() })).catch(onError)
  }
}

const hasEnded = ({ created_at, last_seen_at }: SessionRow, now: number): boolean =>
  now >= created_at + sessionMsMax || now >= last_seen_at + idleMsMax

/** Random bytes in the secret of a cookie or a link. */
export const tokenBytes = 32

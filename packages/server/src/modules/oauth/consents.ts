import type { Database } from '../../db/tx.ts'
import type { Clock } from '../../kernel/clock.ts'
import { hashSecret, isId } from '../../kernel/ids.ts'
import { seldom } from '../../kernel/seldom.ts'
import { deleteConsent, findArtifact, findConsent, insertConsent, listConsents, updateConsent } from './store.ts'

/** An app that a person has let in. Times are milliseconds since 1970. */
type ConnectedApp = {
  readonly clientId: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly since: number
  readonly lastUsed: number | null
}

type Options = { readonly database: Database; readonly clock: Clock; readonly onError: (error: unknown) => void; readonly onRevoked: () => void }

const usedEveryMs = 60_000

/** What people have allowed apps to do for them. */
export class Consents {
  readonly #options: Options
  readonly #mayNote: ReturnType<typeof seldom>

  constructor(options: Options) {
    this.#options = options
    this.#mayNote = seldom(options.clock, usedEveryMs)
  }

  /** What the app may do for this person; nothing where they were never asked. */
  async scopes(userId: string, clientId: string): Promise<readonly string[]> {
    return (await findConsent(this.#options.database.reader, { user_id: userId, client_id: clientId }))?.scopes ?? []
  }

  /** Remembers that a person has said yes, to these scopes beside those of before. */
  async allow(userId: string, clientId: string, scopes: readonly string[]): Promise<void> {
    const { database, clock } = this.#options
    const key = { user_id: userId, client_id: clientId }
    await database.write(async (tx) => {
      const now = clock.now()
      const inserted = await insertConsent(tx, { ...key, scopes, created_at: now, updated_at: now, last_used_at: null })
      if (inserted.length > 0) return
      const known = await findConsent(tx, key)
      await updateConsent(tx, { ...key, scopes: [...new Set([...(known?.scopes ?? []), ...scopes])], updated_at: now })
    })
  }

  /** The apps of a person, by name. */
  async list(userId: string): Promise<ConnectedApp[]> {
    const rows = await listConsents(this.#options.database.reader, userId)
    return rows.map(({ client_id, name, scopes, created_at, last_used_at }) => ({ clientId: client_id, name, scopes, since: created_at, lastUsed: last_used_at }))
  }

  /** Takes an app's consent back: its tokens end, here at once and on other nodes within seconds. */
  async revoke(userId: string, clientId: string): Promise<void> {
    if (!isId(clientId)) return
    await this.#options.database.write((tx) => deleteConsent(tx, { user_id: userId, client_id: clientId }))
    this.#options.onRevoked()
  }

  /** Whether the grant that an access token was made of still stands, for this person and this app. */
  async stands(grantId: string, userId: string, clientId: string): Promise<boolean> {
    const { database, clock } = this.#options
    const row = await findArtifact(database.reader, { model: 'Grant', id_hash: hashSecret(grantId) })
    return row !== undefined && row.expires_at > clock.now() && row.user_id === userId && row.client_id === clientId
  }

  /** Written at most once a minute and never waited for. */
  noteUse(userId: string, clientId: string): void {
    if (!this.#mayNote(`${userId} ${clientId}`, null)) return
    const { database, clock, onError } = this.#options
    database.write((tx) => updateConsent(tx, { user_id: userId, client_id: clientId, last_used_at: clock.now() })).catch(onError)
  }
}

import { defined } from '../../../lib/guards.ts'
import type { Database, Tx } from '../../../db/tx.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { failure } from '../../../kernel/errors.ts'
import { hashSecret, isId } from '../../../kernel/ids.ts'
import { throttle } from '../../../lib/throttle.ts'
import {
  deleteConsents,
  everyWorkspace,
  findArtifact,
  insertConsent,
  listConsents,
  listConsentsTo,
  noteConsentUse,
  updateConsent,
  type ToldConsent,
} from './store.ts'

/** A person's consent to an app; null stands for all their workspaces, including future ones. */
type Consent = { readonly workspaceId: string | null; readonly scopes: readonly string[] }

/** An app that a person has connected. Times are milliseconds since 1970. */
type ConnectedApp = {
  readonly clientId: string
  readonly name: string
  readonly allowed: readonly (Consent & { readonly workspaceName: string | null })[]
  readonly since: number
  readonly lastUsed: number | null
}

type Options = {
  readonly database: Database
  readonly clock: Clock
  /** Returns whether a person's session is valid, and keeps it so until the transaction ends. */
  readonly holdSession: (tx: Tx, userId: string, sessionId: string) => Promise<boolean>
  readonly onError: (error: unknown) => void
  readonly onRevoked: () => void
}

const usedEveryMs = 60_000

/** The consents that people have given to apps. */
export class Consents {
  readonly #options: Options
  readonly #mayNote: ReturnType<typeof throttle>

  constructor(options: Options) {
    this.#options = options
    this.#mayNote = throttle(options.clock, usedEveryMs)
  }

  /** The consents of this person to the app; empty if they have given none. */
  async find(userId: string, clientId: string): Promise<Consent[]> {
    const rows = await listConsentsTo(this.#options.database.reader, userId, clientId)
    return rows.map(({ workspace_id, scopes }) => ({
      workspaceId: workspace_id === everyWorkspace ? null : workspace_id,
      scopes,
    }))
  }

  /** Records a person's consent, given in a session that is still valid; the scopes are added to the existing ones. */
  async allow(
    person: { readonly userId: string; readonly sessionId: string },
    clientId: string,
    { workspaceId, scopes }: Consent,
  ): Promise<void> {
    const { database, clock, holdSession } = this.#options
    const key = { user_id: person.userId, client_id: clientId, workspace_id: workspaceId ?? everyWorkspace }
    await database.write(async (tx) => {
      // A new password revokes sessions and consents together: a session from before must not add a consent after it.
      if (!(await holdSession(tx, person.userId, person.sessionId)))
        throw failure('forbidden', 'You have been signed out. Go back to the app and start again.')
      const now = clock.now()
      const inserted = await insertConsent(tx, { ...key, scopes, created_at: now, updated_at: now, last_used_at: null })
      if (inserted.length > 0) return
      const known = (await listConsentsTo(tx, key.user_id, clientId)).find(
        ({ workspace_id }) => workspace_id === key.workspace_id,
      )
      await updateConsent(tx, { ...key, scopes: [...new Set([...(known?.scopes ?? []), ...scopes])], updated_at: now })
    })
  }

  /** The apps of a person, by name. */
  async list(userId: string): Promise<ConnectedApp[]> {
    const rows = await listConsents(this.#options.database.reader, userId)
    return [...Map.groupBy(rows, ({ client_id }) => client_id).values()].map(connected)
  }

  /** Revokes the consent to an app: its tokens end on this node at once and on other nodes within seconds. */
  async revoke(userId: string, clientId: string): Promise<void> {
    if (!isId(clientId)) return
    const { database, clock, onRevoked } = this.#options
    await database.write((tx) => deleteConsents(tx, { user_id: userId, client_id: clientId }, clock.now()))
    onRevoked()
  }

  /** The workspace of the grant behind an access token, while it is valid for this person and this app. */
  async stands(
    grantId: string,
    userId: string,
    clientId: string,
  ): Promise<{ readonly workspaceId: string | null } | undefined> {
    const { database, clock } = this.#options
    const row = await findArtifact(database.reader, { model: 'Grant', id_hash: hashSecret(grantId) })
    const isTheirs =
      row !== undefined && row.expires_at > clock.now() && row.user_id === userId && row.client_id === clientId
    return isTheirs ? { workspaceId: row.workspace_id } : undefined
  }

  /** Written at most once a minute and never awaited. */
  noteUse(userId: string, clientId: string, workspaceId: string | null): void {
    const key = { user_id: userId, client_id: clientId, workspace_id: workspaceId ?? everyWorkspace }
    if (!this.#mayNote(Object.values(key).join(' '), null)) return
    const { database, clock, onError } = this.#options
    database.write((tx) => noteConsentUse(tx, key, clock.now())).catch(onError)
  }
}

function connected(rows: readonly ToldConsent[]): ConnectedApp {
  const first = defined(rows[0])
  const used = rows.map(({ last_used_at }) => last_used_at).filter((at) => at !== null)
  return {
    clientId: first.client_id,
    name: first.name,
    allowed: rows.map(({ workspace_id, workspace_name, scopes }) => ({
      workspaceId: workspace_id === everyWorkspace ? null : workspace_id,
      workspaceName: workspace_name,
      scopes,
    })),
    since: Math.min(...rows.map(({ created_at }) => created_at)),
    lastUsed: used.length === 0 ? null : Math.max(...used),
  }
}

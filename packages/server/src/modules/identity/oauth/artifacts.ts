import { isRecord } from '../../../lib/guards.ts'
import { seal, unseal } from '../../../lib/sealing.ts'
import type { Database, Tx } from '../../../db/tx.ts'
import { accessTokenSeconds } from '../../../kernel/actor.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { failure } from '../../../kernel/errors.ts'
import { hashSecret, newSecret } from '../../../kernel/ids.ts'
import { Rotation } from './rotation.ts'
import {
  consumeArtifact,
  deleteArtifact,
  deleteArtifactsOfGrant,
  everyWorkspace,
  findArtifact,
  holdConsent,
  insertArtifact,
  prolongArtifact,
  type ArtifactRow,
} from './store.ts'

/** The protocol data of a code, a refresh token, a grant or an unfinished sign-in. */
export type Artifact = Readonly<Record<string, unknown>>

type Options = { readonly database: Database; readonly clock: Clock; readonly onRevoked: () => void }

/** The model of one consent given to an app: codes and tokens belong to a grant, and are deleted with it. */
const grantModel = 'Grant'

const refreshTokenModel = 'RefreshToken'

const purpose = 'kontor oauth'

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/**
 * Stores what the protocol issues. The id of a code or a token is its secret: the database holds its hash, and the rest
 * encrypted with it. Expiry is checked against this server's clock at each read.
 */
export class Artifacts {
  readonly #options: Options
  readonly #rotation: Rotation

  constructor(options: Options) {
    this.#options = options
    this.#rotation = new Rotation({
      seal: (value, secret) => seal(value, secret, purpose),
      unseal: (sealed, secret) => unseal(sealed, secret, purpose),
      newSecret,
    })
  }

  async find(model: string, id: string): Promise<Artifact | undefined> {
    const { database, clock } = this.#options
    const row = await findArtifact(database.reader, { model, id_hash: hashSecret(id) })
    const now = clock.now()
    if (row === undefined || row.expires_at <= now) return undefined
    const artifact = unseal(row.sealed, id, purpose)
    // A refresh token that was used a moment ago returns the same successor once more, and counts as used after that.
    const isUsed = row.consumed_at !== null && !(model === refreshTokenModel && this.#rotation.isRecent(row, now))
    return {
      ...(isRecord(artifact) && artifact),
      jti: id,
      exp: Math.floor(row.expires_at / 1000),
      ...(isUsed && { consumed: Math.floor(row.consumed_at / 1000) }),
    }
  }

  /**
   * Stores an artifact for the given time and extends its grant to at least that, plus the lifetime of an access token
   * issued at its end. An existing refresh token stays as it is: the second of two answers with one successor must not
   * make a used token fresh again.
   */
  async save(model: string, id: string, artifact: Artifact, seconds: number): Promise<void> {
    const { database, clock } = this.#options
    const { jti: _secret, ...rest } = artifact
    const key = { model, id_hash: hashSecret(id) }
    const grantId = text(artifact['grantId'])
    const row: ArtifactRow = {
      ...key,
      grant_id: grantId,
      user_id: text(artifact['accountId']),
      client_id: text(artifact['clientId']),
      workspace_id: text(artifact['workspaceId']),
      sealed: seal(rest, id, purpose),
      expires_at: clock.now() + seconds * 1000,
      consumed_at: null,
    }
    await database.write(async (tx) => {
      if (model === grantModel) await requireConsent(tx, row)
      if (model !== refreshTokenModel) await deleteArtifact(tx, key)
      await insertArtifact(tx, row)
      // No access token may outlive the grant that it depends on.
      if (grantId !== null)
        await prolongArtifact(
          tx,
          { model: grantModel, id_hash: hashSecret(grantId) },
          row.expires_at + accessTokenSeconds * 1000,
        )
    })
  }

  /** Consumes an artifact; false if it was consumed before, or by a concurrent request. */
  consume(model: string, id: string): Promise<boolean> {
    const { database, clock } = this.#options
    return database.write((tx) => consumeArtifact(tx, { model, id_hash: hashSecret(id) }, clock.now()))
  }

  /**
   * Consumes a refresh token; returns the secret of its successor, or undefined if it was consumed before, beyond the
   * grace period.
   */
  rotate(id: string): Promise<string | undefined> {
    const { database, clock } = this.#options
    return database.write((tx) =>
      this.#rotation.rotate(tx, { model: refreshTokenModel, id_hash: hashSecret(id) }, id, clock.now()),
    )
  }

  /** Revokes a grant: none of its codes, refresh tokens and access tokens works any more. */
  revokeGrant(grantId: string): Promise<void> {
    return this.#remove(async (tx) => {
      tx.publish('access')
      await deleteArtifactsOfGrant(tx, grantId)
      await deleteArtifact(tx, { model: grantModel, id_hash: hashSecret(grantId) })
    })
  }

  destroy(model: string, id: string): Promise<void> {
    return this.#remove((tx) => deleteArtifact(tx, { model, id_hash: hashSecret(id) }))
  }

  async #remove(work: (tx: Tx) => Promise<unknown>): Promise<void> {
    await this.#options.database.write(work)
    this.#options.onRevoked()
  }
}

/** A grant depends on its person's consent: if that is revoked at this moment, the grant is not stored. */
async function requireConsent(tx: Tx, { user_id, client_id, workspace_id }: ArtifactRow): Promise<void> {
  const isAllowed =
    user_id !== null &&
    client_id !== null &&
    (await holdConsent(tx, { user_id, client_id, workspace_id: workspace_id ?? everyWorkspace }))
  if (!isAllowed)
    throw failure('forbidden', 'The access of the app was just withdrawn. Return to the app and start again.')
}

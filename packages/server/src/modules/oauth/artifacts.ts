import { seal, unseal } from '../../db/sealing.ts'
import type { Database, Tx } from '../../db/tx.ts'
import { accessTokenSeconds } from '../../kernel/access-token.ts'
import type { Clock } from '../../kernel/clock.ts'
import { failure } from '../../kernel/errors.ts'
import { hashSecret, newSecret } from '../../kernel/ids.ts'
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

/** What the protocol knows of a code, a refresh token, a grant or an unfinished sign-in. */
export type Artifact = Readonly<Record<string, unknown>>

type Options = { readonly database: Database; readonly clock: Clock; readonly onRevoked: () => void }

/** The model of what a person has allowed an app at one time: codes and tokens belong to one, and go with it. */
const grantModel = 'Grant'

const refreshTokenModel = 'RefreshToken'

const purpose = 'kontor oauth'

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/**
 * Where the protocol keeps what it hands out. The id of a code or a token is its secret: the database holds the hash of it,
 * and the rest sealed with it. Expiry is judged by our clock, each time that something is read.
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
    const artifact = unseal(row.sealed, id, purpose) as Artifact
    // A refresh token that was used a moment ago leads to the same successor once more, and counts as used after that.
    const isUsed = row.consumed_at !== null && !(model === refreshTokenModel && this.#rotation.isRecent(row, now))
    return {
      ...artifact,
      jti: id,
      exp: Math.floor(row.expires_at / 1000),
      ...(isUsed && { consumed: Math.floor(row.consumed_at / 1000) }),
    }
  }

  /**
   * Keeps something for so long; what it belongs to lives at least as long, and as long as an access token that is made at
   * its end. A refresh token that is there already stays as it is: the second of two answers with one successor must not
   * make a used one fresh again.
   */
  async save(model: string, id: string, artifact: Artifact, seconds: number): Promise<void> {
    const { database, clock } = this.#options
    const { jti: _secret, ...rest } = artifact
    const key = { model, id_hash: hashSecret(id) }
    const [grantId, userId, clientId, workspaceId] = ['grantId', 'accountId', 'clientId', 'workspaceId'].map((name) =>
      text(artifact[name]),
    ) as [string | null, string | null, string | null, string | null]
    const row: ArtifactRow = {
      ...key,
      grant_id: grantId,
      user_id: userId,
      client_id: clientId,
      workspace_id: workspaceId,
      sealed: seal(rest, id, purpose),
      expires_at: clock.now() + seconds * 1000,
      consumed_at: null,
    }
    await database.write(async (tx) => {
      if (model === grantModel) await requireConsent(tx, row)
      if (model !== refreshTokenModel) await deleteArtifact(tx, key)
      await insertArtifact(tx, row)
      // No access token may outlive the grant that it needs.
      if (grantId !== null)
        await prolongArtifact(
          tx,
          { model: grantModel, id_hash: hashSecret(grantId) },
          row.expires_at + accessTokenSeconds * 1000,
        )
    })
  }

  /** Uses something up; false where that was done before, or by somebody else at the same time. */
  consume(model: string, id: string): Promise<boolean> {
    const { database, clock } = this.#options
    return database.write((tx) => consumeArtifact(tx, { model, id_hash: hashSecret(id) }, clock.now()))
  }

  /** Uses up a refresh token; the secret of its successor, or undefined where it was used up before, and not just now. */
  rotate(id: string): Promise<string | undefined> {
    const { database, clock } = this.#options
    return database.write((tx) =>
      this.#rotation.rotate(tx, { model: refreshTokenModel, id_hash: hashSecret(id) }, id, clock.now()),
    )
  }

  /** Ends a grant: no code, no refresh token and no access token that came of it works any more. */
  revokeGrant(grantId: string): Promise<void> {
    return this.#remove(async (tx) => {
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

/** A grant stands on what its person has allowed: where that was taken back at this moment, there is none. */
async function requireConsent(tx: Tx, { user_id, client_id, workspace_id }: ArtifactRow): Promise<void> {
  const isAllowed =
    user_id !== null &&
    client_id !== null &&
    (await holdConsent(tx, { user_id, client_id, workspace_id: workspace_id ?? everyWorkspace }))
  if (!isAllowed)
    throw failure(
      'forbidden',
      'What the app was allowed was taken back at this moment. Go back to the app, and begin again.',
    )
}

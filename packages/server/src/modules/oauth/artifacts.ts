import { seal, unseal } from '../../db/sealing.ts'
import type { Database, Tx } from '../../db/tx.ts'
import { accessTokenSeconds } from '../../kernel/access-token.ts'
import type { Clock } from '../../kernel/clock.ts'
import { hashSecret } from '../../kernel/ids.ts'
import { consumeArtifact, deleteArtifact, deleteArtifactsOfGrant, findArtifact, insertArtifact, prolongArtifact } from './store.ts'

/** What the protocol knows of a code, a refresh token, a grant or an unfinished sign-in. */
export type Artifact = Readonly<Record<string, unknown>>

type Options = { readonly database: Database; readonly clock: Clock; readonly onRevoked: () => void }

/** The model of what a person has allowed an app at one time: codes and tokens belong to one, and go with it. */
const grantModel = 'Grant'

const purpose = 'kontor oauth'

/**
 * Where the protocol keeps what it hands out. The id of a code or a token is its secret: the database holds the hash of it,
 * and the rest sealed with it. Expiry is judged by our clock, each time that something is read.
 */
export class Artifacts {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  async find(model: string, id: string): Promise<Artifact | undefined> {
    const { database, clock } = this.#options
    const row = await findArtifact(database.reader, { model, id_hash: hashSecret(id) })
    if (row === undefined || row.expires_at <= clock.now()) return undefined
    const artifact = unseal(row.sealed, id, purpose) as Artifact
    return { ...artifact, jti: id, exp: Math.floor(row.expires_at / 1000), ...(row.consumed_at !== null && { consumed: Math.floor(row.consumed_at / 1000) }) }
  }

  /** Keeps something for so long; what it belongs to lives at least as long, and as long as an access token that is made at its end. */
  async save(model: string, id: string, artifact: Artifact, seconds: number): Promise<void> {
    const { database, clock } = this.#options
    const { jti: _secret, ...rest } = artifact
    const [grantId, userId, clientId] = [artifact['grantId'], artifact['accountId'], artifact['clientId']].map((value) => (typeof value === 'string' ? value : null)) as [string | null, string | null, string | null]
    const key = { model, id_hash: hashSecret(id) }
    const expiresAt = clock.now() + seconds * 1000
    const sealed = seal(rest, id, purpose)
    await database.write(async (tx) => {
      await deleteArtifact(tx, key)
      await insertArtifact(tx, { ...key, grant_id: grantId, user_id: userId, client_id: clientId, sealed, expires_at: expiresAt, consumed_at: null })
      // No access token may outlive the grant that it needs.
      if (grantId !== null) await prolongArtifact(tx, { model: grantModel, id_hash: hashSecret(grantId) }, expiresAt + accessTokenSeconds * 1000)
    })
  }

  /** Uses something up; false where that was done before, or by somebody else at the same time. */
  consume(model: string, id: string): Promise<boolean> {
    const { database, clock } = this.#options
    return database.write((tx) => consumeArtifact(tx, { model, id_hash: hashSecret(id) }, clock.now()))
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

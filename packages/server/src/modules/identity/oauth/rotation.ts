import { isRecord, isString, memberOf } from '../../../lib/guards.ts'
import type { Sealed } from '../../../lib/sealing.ts'
import type { Tx } from '../../../db/tx.ts'
import { consumeArtifact, findArtifact, resealArtifact, type ArtifactRow } from './store.ts'

/**
 * Two tabs of one app refresh at the same time, or an answer is lost in transit: within this time a used refresh token
 * returns the same successor again. A later use comes from a thief, or from the app whose token a thief has used.
 */
const graceMs = 30_000

const secretBytes = 32

type Key = Pick<ArtifactRow, 'model' | 'id_hash'>

type Options = {
  readonly seal: (value: unknown, secret: string) => Sealed
  readonly unseal: (sealed: Sealed, secret: string) => unknown
  readonly newSecret: (bytes: number) => string
}

/**
 * The rotation of refresh tokens. The secret of the successor is chosen in the transaction that consumes the token, and
 * is stored beside it, encrypted with the token: only a caller that presents the token can get it again, on any node.
 */
export class Rotation {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** Returns whether a token was consumed recently enough to be used once more; clocks may differ and be set. */
  isRecent({ consumed_at }: Pick<ArtifactRow, 'consumed_at'>, now: number): boolean {
    return consumed_at !== null && Math.abs(now - consumed_at) < graceMs
  }

  async rotate(tx: Tx, key: Key, secret: string, now: number): Promise<string | undefined> {
    const { seal, unseal, newSecret } = this.#options
    const row = await findArtifact(tx, key)
    if (row === undefined) return undefined
    if (await consumeArtifact(tx, key, now)) {
      const artifact = unseal(row.sealed, secret)
      const successor = newSecret(secretBytes)
      await resealArtifact(tx, key, seal({ ...(isRecord(artifact) && artifact), successor }, secret))
      return successor
    }
    const used = await findArtifact(tx, key)
    if (used === undefined || !this.isRecent(used, now)) return undefined
    const successor = memberOf(unseal(used.sealed, secret), 'successor')
    return isString(successor) ? successor : undefined
  }
}

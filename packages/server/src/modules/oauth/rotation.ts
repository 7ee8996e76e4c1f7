import type { Sealed } from '../../db/sealing.ts'
import type { Tx } from '../../db/tx.ts'
import { consumeArtifact, findArtifact, resealArtifact, type ArtifactRow } from './store.ts'

/**
 * Two tabs of one app refresh at the same time, or an answer is lost on its way: for so long a refresh token that was used
 * gives the same successor again. What comes later is a thief, or the app that a thief has been at.
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
 * One refresh token following another. The secret of the successor is chosen when the token is used up, in that
 * transaction, and lies beside it, sealed with the token: only who has brought it can be given it again, on any node.
 */
export class Rotation {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** Whether a token was used up so short a time ago that it may come once more; clocks may differ and be set. */
  isRecent({ consumed_at }: Pick<ArtifactRow, 'consumed_at'>, now: number): boolean {
    return consumed_at !== null && Math.abs(now - consumed_at) < graceMs
  }

  async rotate(tx: Tx, key: Key, secret: string, now: number): Promise<string | undefined> {
    const { seal, unseal, newSecret } = this.#options
    const row = await findArtifact(tx, key)
    if (row === undefined) return undefined
    if (await consumeArtifact(tx, key, now)) {
      const successor = newSecret(secretBytes)
      await resealArtifact(tx, key, seal({ ...(unseal(row.sealed, secret) as object), successor }, secret))
      return successor
    }
    const used = await findArtifact(tx, key)
    if (used === undefined || !this.isRecent(used, now)) return undefined
    const { successor } = unseal(used.sealed, secret) as { readonly successor?: string }
    return successor
  }
}

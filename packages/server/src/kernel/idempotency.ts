import type { Tx } from '../db/tx.ts'

/**
 * `key` is as the caller sent it. With `secret`, the answer may be stored only in a form that needs the key to be read.
 */
export type IdempotencyScope = {
  readonly workspaceId: string
  readonly actorId: string
  readonly endpoint: string
  readonly key: string
  readonly secret: boolean
}

export type StoredAnswer = {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** Stores answers under their `Idempotency-Key`, in the transaction of the change. */
export interface IdempotencyStore {
  /** The answer stored under the key; `new` if there is none; `running` if another request holds the key. */
  begin(
    tx: Tx,
    scope: IdempotencyScope,
    requestHash: string,
    now: number,
  ): Promise<StoredAnswer | 'new' | 'running' | 'other-request'>
  save(tx: Tx, scope: IdempotencyScope, requestHash: string, answer: StoredAnswer, now: number): Promise<void>
}

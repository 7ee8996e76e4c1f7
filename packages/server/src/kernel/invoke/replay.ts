import { createHash } from 'node:crypto'
import { idempotencyKeptHours } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import { actorId, type Actor } from '../actor.ts'
import type { Call } from '../calls.ts'
import { Failure, failure } from '../errors.ts'
import { idempotencyKey } from '../headers.ts'
import type { IdempotencyScope, StoredAnswer } from '../idempotency.ts'
import { narrowingOf } from '../authorise.ts'
import type { InvokedCall, Runtime } from './runtime.ts'

/** A request with an `Idempotency-Key`. */
export type KeyedRequest = { readonly scope: IdempotencyScope; readonly hash: string }

/** The request under its `Idempotency-Key`; undefined if it has none. */
export function keyedRequest(
  { name, endpoint }: Call,
  given: InvokedCall,
  actor: Actor,
  workspaceId: string,
): KeyedRequest | undefined {
  const key = idempotencyKey(given.idempotencyKey)
  if (key === undefined) return undefined
  const scope = { workspaceId, actorId: actorId(actor), endpoint: name, key, secret: endpoint.secret === true }
  return { scope, hash: hashOf(given, actor) }
}

/**
 * Hashes what makes two requests the same. It includes the limits of the credential: a narrower credential of the same
 * person must not receive a stored answer that it would have been refused.
 */
function hashOf({ given, ifMatch }: InvokedCall, actor: Actor): string {
  const narrowing = narrowingOf(actor)
  return createHash('sha256')
    .update(JSON.stringify([given, ifMatch ?? null, ...(narrowing === undefined ? [] : [narrowing])]))
    .digest('base64url')
}

/** The answer that was stored for the same request under its key; undefined for the first of them. */
export async function replay(
  { idempotency }: Runtime,
  tx: Tx,
  { scope, hash }: KeyedRequest,
  now: number,
): Promise<StoredAnswer | undefined> {
  const found = await idempotency.begin(tx, scope, hash, now)
  if (found === 'new') return undefined
  if (found === 'running')
    throw new Failure(
      { code: 'idempotency_in_progress', detail: 'A request with this Idempotency-Key is still running.' },
      { retryAfterSeconds: 1 },
    )
  if (found === 'other-request') {
    throw failure(
      'idempotency_key_reused',
      'This Idempotency-Key was used for a different request, or with other scopes, within ' +
        `${idempotencyKeptHours} hours.`,
      { source: { header: 'Idempotency-Key' } },
    )
  }
  // An answer without a body is stored as null.
  return { ...found, body: found.body ?? undefined, headers: { ...found.headers, 'Idempotency-Replayed': 'true' } }
}

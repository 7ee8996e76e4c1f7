import { createHash } from 'node:crypto'
import { idempotencyKeptHours } from '@kontor/contract'
import type { RowOf } from '../../db/columns.ts'
import type { IdempotencyScope, IdempotencyStore, StoredAnswer } from '../../kernel/idempotency.ts'
import { seal, unseal, type Sealed } from '../../lib/sealing.ts'
import { param, statement } from '../../db/statement.ts'
import type { Tx } from '../../db/tx.ts'
import { expiredRows } from '../../engine/expired-rows/store.ts'

/** The purpose under which answers are sealed, with the caller's own Idempotency-Key as the secret. */
const purpose = 'kontor idempotency'

const keptMs = idempotencyKeptHours * 3_600_000

type Key = Pick<RowOf<'idempotency'>, 'workspace_id' | 'actor_id' | 'endpoint' | 'idempotency_key'>
type StoredRow = StoredAnswer & Pick<RowOf<'idempotency'>, 'request_hash' | 'created_at'>

const keyOf = ({ workspaceId, actorId, endpoint, key }: Omit<IdempotencyScope, 'secret'>): Key => ({
  workspace_id: workspaceId,
  actor_id: actorId,
  endpoint,
  idempotency_key: hashOf(key),
})

/** Keys are stored as hashes, since they unlock the answers that hold a secret. */
const hashOf = (key: string): string => createHash('sha256').update(key).digest('base64url')

const keyParams = {
  workspace_id: param('workspace_id'),
  actor_id: param('actor_id'),
  endpoint: param('endpoint'),
  idempotency_key: param('idempotency_key'),
}

const find = statement<Key, StoredRow>(({ knex }) =>
  knex('idempotency').select('request_hash', 'status', 'body', 'headers', 'created_at').where(keyParams),
)

export const idempotencyStore: IdempotencyStore = {
  async begin(tx, scope, requestHash, now) {
    const key = keyOf(scope)
    if (!(await tx.tryLock(JSON.stringify(key)))) return 'running'
    const row = await tx.first(find, key)
    if (row === undefined) return 'new'
    if (now - row.created_at >= keptMs) {
      await tx.deleteByKey('idempotency', [key])
      return 'new'
    }
    if (row.request_hash !== requestHash) return 'other-request'
    // An answer without a body is stored as null, since no body is null.
    return {
      status: row.status,
      body: scope.secret ? unseal(row.body as Sealed, scope.key, purpose) : (row.body ?? undefined),
      headers: row.headers,
    }
  },

  save: (tx: Tx, scope, requestHash, { status, body, headers }, now) =>
    tx.insert('idempotency', [
      {
        ...keyOf(scope),
        request_hash: requestHash,
        status,
        body: scope.secret ? seal(body, scope.key, purpose) : body,
        headers,
        created_at: now,
      },
    ]),
}

/** A request that was committed under a key; if its answer holds a secret, the body is sealed. */
export type KeptRequest = {
  readonly endpoint: string
  readonly status: number
  readonly body: unknown
  readonly created_at: number
}

type KeyQuery = {
  readonly workspaceId: string
  readonly actorId: string
  readonly key: string
  readonly endpoints: readonly string[]
}

/**
 * The requests of an actor that were committed under a key, the latest first, with their expiry; `running` while one of
 * them has not ended. Runs in a transaction: on SQLite it queues like any request, so none is running.
 */
export async function findRequests(
  tx: Tx,
  { workspaceId, actorId, key, endpoints }: KeyQuery,
  now: number,
): Promise<(KeptRequest & { readonly expires_at: number })[] | 'running'> {
  const keys = endpoints.map((endpoint) => keyOf({ workspaceId, actorId, endpoint, key }))
  // Checked before the rows are read: a request that holds no lock any more has committed, if ever.
  if (await tx.isLocked(keys.map((one) => JSON.stringify(one)))) return 'running'
  const rows = await tx.query<KeptRequest>(({ knex }) =>
    knex('idempotency')
      .select('endpoint', 'status', 'body', 'created_at')
      .where({ workspace_id: workspaceId, actor_id: actorId, idempotency_key: hashOf(key) })
      .whereIn('endpoint', [...endpoints])
      .where('created_at', '>', now - keptMs)
      .orderBy([{ column: 'created_at', order: 'desc' }, { column: 'endpoint' }]),
  )
  return rows.map((row) => ({ ...row, expires_at: row.created_at + keptMs }))
}

/** Deletes expired answers. */
export const answerUpkeep = expiredRows('idempotency', {
  key: Object.keys(keyParams),
  expired: (rows, now) => rows.where('created_at', '<=', now - keptMs),
  oldestBy: 'created_at',
  batchMax: 100,
})

import type { IdempotencyScope, IdempotencyStore, StoredAnswer } from '../kernel/idempotency.ts'
import { param, statement } from './statement.ts'
import type { Tx } from './tx.ts'

/** How long an answer is kept under its key. */
const keptMs = 24 * 3_600_000

type Key = { readonly workspace_id: string; readonly actor_id: string; readonly endpoint: string; readonly idempotency_key: string }
type StoredRow = StoredAnswer & { readonly request_hash: string; readonly created_at: number }

const keyOf = ({ workspaceId, actorId, endpoint, key }: IdempotencyScope): Key => ({ workspace_id: workspaceId, actor_id: actorId, endpoint, idempotency_key: key })

const keyParams = { workspace_id: param('workspace_id'), actor_id: param('actor_id'), endpoint: param('endpoint'), idempotency_key: param('idempotency_key') }

const find = statement<Key, StoredRow>(({ knex }) => knex('idempotency').select('request_hash', 'status', 'body', 'headers', 'created_at').where(keyParams))

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
    return row.request_hash === requestHash ? { status: row.status, body: row.body, headers: row.headers } : 'other-request'
  },

  save: (tx: Tx, scope, requestHash, { status, body, headers }, now) =>
    tx.insert('idempotency', [{ ...keyOf(scope), request_hash: requestHash, status, body, headers, created_at: now }]),
}

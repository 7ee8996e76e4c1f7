import type { ReadTx, Tx } from '../tx.ts'
import { citusQuery } from './state.ts'

/** Returns whether Citus is in this Postgres, so that its tables may be distributed. */
export async function mayBeDistributed(tx: ReadTx): Promise<boolean> {
  const found = await tx.query(({ knex }) => knex.raw(citusQuery))
  return found.length > 0
}

/**
 * The ids of the transactions that are no longer in progress here and still have their locks. The coordinator of a
 * distributed Postgres commits first, and releases the locks once the nodes have committed.
 */
export async function listSettling(tx: Tx): Promise<string[]> {
  const found = await tx.query<{ readonly id: string }>(
    (sql) => sql`select held.transactionid::text as id from pg_locks as held
      join pg_stat_activity as backend using (pid)
      where held.locktype = 'transactionid' and held.mode = 'ExclusiveLock' and held.granted
        and held.pid <> pg_backend_pid() and backend.backend_xid is null`,
  )
  return found.map(({ id }) => id)
}

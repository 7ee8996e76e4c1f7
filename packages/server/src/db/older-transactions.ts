import { statement } from './statement.ts'
import type { ReadTx } from './tx.ts'

/**
 * All open transactions of Kontor, including those that have changed nothing yet, which no snapshot lists. They are
 * found as CREATE INDEX CONCURRENTLY finds them; a backup or a forgotten console in the same database is not waited
 * for.
 */
const underWay = statement<Record<string, never>, { transaction: string }>(
  (sql) =>
    sql`select l.virtualtransaction as transaction
     from pg_locks as l join pg_stat_activity as a on a.pid = l.pid
     where l.locktype = 'virtualxid' and l.granted and a.application_name = 'kontor' and a.datname = current_database()
       and a.pid <> pg_backend_pid()`,
)

/**
 * Returns which of some transactions are still open, or all open ones. On SQLite no other transaction writes beside the
 * caller's.
 */
export async function listUnderWay(tx: ReadTx, among?: readonly string[]): Promise<string[]> {
  if (tx.dialect.name === 'sqlite') return []
  const rows = await tx.all(underWay, {})
  return rows.map(({ transaction }) => transaction).filter((one) => among?.includes(one) !== false)
}

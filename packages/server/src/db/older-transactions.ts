import { statement } from './statement.ts'
import type { ReadTx } from './tx.ts'

/**
 * All transactions of ours that are under way, also those that have changed nothing yet, which no snapshot tells of. As
 * CREATE INDEX CONCURRENTLY finds them; a backup or a forgotten console in the same database is nobody whom we wait for.
 */
const underWay = statement<Record<string, never>, { transaction: string }>(({ knex }) =>
  knex.raw(
    `select l.virtualtransaction as transaction
     from pg_locks as l join pg_stat_activity as a on a.pid = l.pid
     where l.locktype = 'virtualxid' and l.granted and a.application_name = 'kontor' and a.datname = current_database() and a.pid <> pg_backend_pid()`,
  ),
)

/** Of some transactions those that have not ended, or all that are under way. On SQLite nobody writes beside the one who asks. */
export async function listUnderWay(tx: ReadTx, among?: readonly string[]): Promise<string[]> {
  if (tx.dialect.name === 'sqlite') return []
  const rows = await tx.all(underWay, {})
  return rows.map(({ transaction }) => transaction).filter((one) => among?.includes(one) !== false)
}

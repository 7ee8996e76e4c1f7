import type { TableName } from './columns.ts'
import { StatementTimeout } from './errors.ts'
import type { Database } from './tx.ts'

/**
 * Has Postgres gather statistics on a workspace's rows in a table, so that it plans for the rows that are there. It
 * would do so by itself within a minute or two, and until then assume an empty table and scan it. Only the partition of
 * the workspace is sampled. SQLite plans by fixed statistics (docs/decisions/0015). A sample that takes too long is
 * left to Postgres: nothing but speed depends on it.
 */
export async function gatherStatistics(database: Database, table: TableName, workspaceId: string): Promise<void> {
  if (database.dialect.name === 'sqlite') return
  try {
    await database.write((tx) => tx.query((sql) => sql`select kontor_gather_statistics(${table}, ${workspaceId})`))
  } catch (error) {
    if (!(error instanceof StatementTimeout)) throw error
  }
}

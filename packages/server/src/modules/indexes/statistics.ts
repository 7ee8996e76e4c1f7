import { gatherStatistics } from '../../db/statistics.ts'
import type { Database } from '../../db/tx.ts'
import { indexTables } from './rows.ts'

/** Gathers statistics on the index rows and search documents of a workspace. */
export async function gatherIndexStatistics(database: Database, workspaceId: string): Promise<void> {
  for (const table of indexTables) await gatherStatistics(database, table, workspaceId)
  await gatherStatistics(database, 'search_document', workspaceId)
}

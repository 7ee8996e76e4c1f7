import { gatherStatistics } from '../../db/statistics.ts'
import type { Database } from '../../db/tx.ts'
import { gatherIndexStatistics } from '../indexes/index.ts'

/**
 * Gathers statistics on the records of a workspace and what they are found by, after many of them were written at
 * once: the first lists after an import are planned for its rows.
 */
export async function gatherRecordStatistics(database: Database, workspaceId: string): Promise<void> {
  await gatherStatistics(database, 'record', workspaceId)
  await gatherStatistics(database, 'unique_key', workspaceId)
  await gatherStatistics(database, 'link', workspaceId)
  await gatherIndexStatistics(database, workspaceId)
}

import { tables, type TableName } from '../../../db/columns.ts'
import { deleteCopies } from '../../../db/copied-tables.ts'
import type { Database } from '../../../db/tx.ts'
import { keysOf } from '../../../lib/guards.ts'
import { removeWorkspace } from '../store.ts'

/** The tables that have rows of workspaces. */
const ofWorkspaces: readonly TableName[] = keysOf(tables).filter((table) =>
  Object.hasOwn(tables[table], 'workspace_id'),
)

/** Removes all rows of a workspace that was not restored completely. */
export async function removeRemains(database: Database, workspaceId: string): Promise<void> {
  for (const table of ofWorkspaces) await database.write((tx) => deleteCopies(tx, table, workspaceId))
  await database.write((tx) => removeWorkspace(tx, workspaceId))
}

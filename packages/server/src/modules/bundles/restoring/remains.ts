import { tables, type TableName } from '../../../db/columns.ts'
import { deleteCopies } from '../../../db/copied-tables.ts'
import type { Database } from '../../../db/tx.ts'
import { keysOf } from '../../../lib/guards.ts'
import { removeWorkspace } from '../store.ts'
import { inAttempt, type RestoreAttempt } from './attempt.ts'

/** The tables that have rows of workspaces. */
const ofWorkspaces: readonly TableName[] = keysOf(tables).filter((table) =>
  Object.hasOwn(tables[table], 'workspace_id'),
)

/** Removes all rows of a workspace that was not restored completely, unless another attempt has begun. */
export async function removeRemains(database: Database, attempt: RestoreAttempt): Promise<void> {
  const { workspaceId } = attempt
  for (const table of ofWorkspaces) await inAttempt(database, attempt, (tx) => deleteCopies(tx, table, workspaceId))
  await inAttempt(database, attempt, (tx) => removeWorkspace(tx, workspaceId))
}

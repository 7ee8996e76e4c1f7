import type { ReadTx } from '../../db/tx.ts'
import { schemaFeedId } from './feed-id.ts'
import type { WorkspaceSchemas } from './service.ts'
import { listEndedSchemas } from './store.ts'

/** The names of all current and former objects of a workspace, by their feed ids. */
export async function listFeedNames(
  tx: ReadTx,
  workspaceId: string,
  schemas: WorkspaceSchemas,
): Promise<ReadonlyMap<string, string>> {
  const ended = await listEndedSchemas(tx, workspaceId)
  const named = [...schemas.values(), ...ended].map(
    ({ title, keys }) => [schemaFeedId(workspaceId, keys.object), title] as const,
  )
  return new Map(named)
}

import { LRUCache } from 'lru-cache'
import type { ReadTx } from '../../db/tx.ts'
import type { Membership } from '../../kernel/actor.ts'
import type { StoredSchema } from './model.ts'
import { listCurrentSchemas } from './store.ts'

export type WorkspaceSchemas = ReadonlyMap<string, StoredSchema>

const workspacesCached = 1000

/**
 * The schemas of a workspace, as of its schema epoch: a change of any schema raises the epoch, so that a cached
 * set is never older than the membership that it is asked with.
 */
const cache = new LRUCache<string, WorkspaceSchemas>({ max: workspacesCached })

/** A schema as it is at this moment, for work that belongs to no request. */
export const currentSchema = async (tx: ReadTx, workspaceId: string, object: string): Promise<StoredSchema | undefined> =>
  (await listCurrentSchemas(tx, workspaceId)).find((row) => row.object === object)?.document

export async function workspaceSchemas(tx: ReadTx, { workspaceId, schemaEpoch }: Membership): Promise<WorkspaceSchemas> {
  const key = `${workspaceId}:${schemaEpoch}`
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const rows = await listCurrentSchemas(tx, workspaceId)
  const schemas = new Map(rows.map((row) => [row.object, row.document]))
  cache.set(key, schemas)
  return schemas
}

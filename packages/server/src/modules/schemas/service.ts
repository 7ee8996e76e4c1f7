import { LRUCache } from 'lru-cache'
import type { ReadTx, Tx } from '../../db/tx.ts'
import type { Membership } from '../../kernel/actor.ts'
import { StaleSchema } from '../../kernel/fresh-schemas.ts'
import type { StoredSchema } from './model.ts'
import { listCurrentSchemas, lockEpoch } from './store.ts'

export type WorkspaceSchemas = ReadonlyMap<string, StoredSchema>

const workspacesCached = 1000

type Known = { readonly epoch: number; readonly schemas: WorkspaceSchemas }

/** A change of any schema raises the epoch of its workspace, so a set is what its epoch says for ever. */
const cache = new LRUCache<string, readonly Known[]>({ max: workspacesCached })

/** Requests under way may still work with the epoch before the last; of older ones nothing is kept. */
const epochsKept = 2

/**
 * The schemas of a workspace as of the epoch that a membership carries: one whole set, however often a request asks.
 * Where that epoch is over and its schemas are not known here any more, the request is run again with those of now.
 */
export async function workspaceSchemas(tx: ReadTx, { workspaceId, schemaEpoch }: Pick<Membership, 'workspaceId' | 'schemaEpoch'>): Promise<WorkspaceSchemas> {
  const cached = cache.get(workspaceId)?.find(({ epoch }) => epoch === schemaEpoch)
  if (cached !== undefined) return cached.schemas
  const { epoch, schemas } = await listCurrentSchemas(tx, workspaceId)
  if (epoch !== schemaEpoch) throw new StaleSchema()
  const read = byName(schemas)
  // Several may have asked at once, and the epoch may have been raised meanwhile.
  const others = (cache.get(workspaceId) ?? []).filter((known) => known.epoch !== epoch)
  cache.set(workspaceId, [...others, { epoch, schemas: read }].toSorted((one, other) => other.epoch - one.epoch).slice(0, epochsKept))
  return read
}

const byName = (schemas: readonly StoredSchema[]): WorkspaceSchemas => new Map(schemas.map((schema) => [schema.title, schema]))

/** The schemas of a workspace as they are now, with their epoch, for work that belongs to no request. */
export async function readSchemas(tx: ReadTx, workspaceId: string): Promise<{ readonly epoch: number; readonly schemas: WorkspaceSchemas }> {
  const { epoch, schemas } = await listCurrentSchemas(tx, workspaceId)
  return { epoch, schemas: byName(schemas) }
}

/** The schemas of a workspace, locked against every other change until the transaction ends, and their epoch. */
export async function lockSchemas(tx: Tx, workspaceId: string): Promise<{ readonly epoch: number; readonly schemas: WorkspaceSchemas }> {
  await lockEpoch(tx, workspaceId)
  return readSchemas(tx, workspaceId)
}

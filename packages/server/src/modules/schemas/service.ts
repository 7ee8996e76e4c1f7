import { LRUCache } from 'lru-cache'
import type { ReadTx, Tx } from '../../db/tx.ts'
import type { Membership, Actor } from '../../kernel/actor.ts'
import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import { StaleSchema, PinnedSchemas } from '../../kernel/invoke/schema-check.ts'
import { findSchemaEpoch } from '../workspaces/index.ts'
import type { StoredSchema } from './model.ts'
import { listCurrentSchemas, lockEpoch, schemaFeedId, listEndedSchemas, type OwnSettings } from './store.ts'
import { defaultSettings, type ErrorCode, type Role, type WorkspaceSettings } from '@kontor/contract'
import { Failure } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'

export type WorkspaceSchemas = ReadonlyMap<string, StoredSchema>

/** All schemas of a workspace as of one epoch, and the settings that it has changed. */
export type SchemaSet = {
  readonly epoch: number
  readonly settings: OwnSettings
  readonly schemas: WorkspaceSchemas
}

const workspacesCached = 1000

/** Running requests may still use the epoch before the last; older ones are not cached. */
const epochsKept = 2

/**
 * The cache of schema sets. A change of any schema or setting raises the epoch of its workspace, so the set of an epoch
 * never changes.
 */
export class SchemaSets {
  readonly #known = new LRUCache<string, readonly SchemaSet[]>({ max: workspacesCached })

  /**
   * The schemas of a workspace as of the epoch that a membership carries. If that epoch is over and no longer cached,
   * the request runs again with the current schemas.
   */
  async read(
    tx: ReadTx,
    { workspaceId, schemaEpoch }: Pick<Membership, 'workspaceId' | 'schemaEpoch'>,
  ): Promise<SchemaSet> {
    const known = this.#find(workspaceId, schemaEpoch)
    if (known !== undefined) return known
    const read = await readSchemas(tx, workspaceId)
    if (read.epoch !== schemaEpoch) throw new StaleSchema()
    return this.#keep(workspaceId, read)
  }

  /** The current schemas of a workspace, for work outside a request. */
  async readCurrent(tx: ReadTx, workspaceId: string): Promise<SchemaSet> {
    const epoch = await findSchemaEpoch(tx, workspaceId)
    const known = epoch === undefined ? undefined : this.#find(workspaceId, epoch)
    return known ?? this.#keep(workspaceId, await readSchemas(tx, workspaceId))
  }

  #keep(workspaceId: string, read: SchemaSet): SchemaSet {
    // Several calls may have read it at once: the first result becomes the set of this epoch for all of them.
    const first = this.#find(workspaceId, read.epoch)
    if (first !== undefined) return first
    const sets = [...(this.#known.get(workspaceId) ?? []), read]
    this.#known.set(workspaceId, sets.toSorted((one, other) => other.epoch - one.epoch).slice(0, epochsKept))
    return read
  }

  #find(workspaceId: string, wanted: number): SchemaSet | undefined {
    return this.#known.get(workspaceId)?.find(({ epoch }) => epoch === wanted)
  }
}

type SchemaContext = Pick<WorkspaceReadContext, 'tx' | 'schemas'>

/** The set that the kernel pins for a call comes from `SchemaSets`, or for the context of a job from `readSchemas`. */
const pinnedSet = async ({ tx, schemas }: SchemaContext): Promise<SchemaSet> => (await schemas.get(tx)) as SchemaSet

/** The schemas of the workspace of a call: one set for the whole call. */
export const workspaceSchemas = async (ctx: SchemaContext): Promise<WorkspaceSchemas> => (await pinnedSet(ctx)).schemas

/** The settings of the workspace of a call, as they are in force, with their defaults. */
export const workspaceSettings = async (ctx: SchemaContext): Promise<WorkspaceSettings> => ({
  ...defaultSettings,
  ...(await pinnedSet(ctx)).settings,
})

/** The schemas for a change of them, or of what must not overlap one: locked until the transaction ends. */
export async function holdSchemas(ctx: WriteContext): Promise<WorkspaceSchemas> {
  const locked = await lockSchemas(ctx.tx, ctx.workspace.workspaceId)
  ctx.schemas.hold(locked)
  return workspaceSchemas(ctx)
}

/** The settings that the workspace has changed, for a change of them: locked with its schemas. */
export async function holdSettings(ctx: WriteContext): Promise<OwnSettings> {
  await holdSchemas(ctx)
  return (await pinnedSet(ctx)).settings
}

/** The current schemas and settings of a workspace with their epoch, as they are stored. */
export async function readSchemas(tx: ReadTx, workspaceId: string): Promise<SchemaSet> {
  const { schemas, ...set } = await listCurrentSchemas(tx, workspaceId)
  return { ...set, schemas: new Map(schemas.map((schema) => [schema.title, schema])) }
}

/** The schemas of a workspace with their epoch, locked against every other change until the transaction ends. */
export async function lockSchemas(tx: Tx, workspaceId: string): Promise<SchemaSet> {
  await lockEpoch(tx, workspaceId)
  return readSchemas(tx, workspaceId)
}

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

/** Whose rights the server reads with outside a call. */
type ServerActor = { readonly actor: Actor; readonly role: Role }

/** The context of a read that no caller has asked for, by given schemas. */
export const serverContext = (
  tx: ReadTx,
  workspaceId: string,
  schemas: SchemaSet,
  { actor, role }: ServerActor,
  now: number,
): WorkspaceReadContext<ErrorCode> => ({
  tx,
  actor,
  now,
  requestId: '',
  newId: () => newId(now),
  fail: (code, fault) => new Failure({ code, ...fault }),
  baseUrl: '',
  given: {},
  takesChunks: false,
  workspace: { workspaceId, slug: '', role, schemaEpoch: schemas.epoch },
  schemas: PinnedSchemas.of(schemas),
  watermark: async () => now,
})

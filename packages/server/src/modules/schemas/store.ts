import type { WorkspaceSettings } from '@kontor/contract'
import { param, statement } from '../../db/statement.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import {
  plainKeys,
  storedSchema,
  type SchemaKeys,
  type Clearing,
  type SchemaDocument,
  type StoredSchema,
} from './model.ts'
import { derivedId } from '../../kernel/ids.ts'

/** Versions of the first migration have no keys of their own. */
const hasKeys = (keys: SchemaRow['keys']): keys is SchemaKeys => 'object' in keys

/** The settings that a workspace has changed. */
export type OwnSettings = Partial<WorkspaceSettings>

type SchemaRow = {
  readonly schema_epoch: number
  readonly settings: OwnSettings
  readonly version: number
  readonly document: SchemaDocument
  readonly keys: SchemaKeys | Record<string, never>
  readonly deleted_at: number | null
  /** The state of a change that is being prepared, or cleaned up after. */
  readonly target_state: 'announced' | 'clearing' | null
  readonly target: SchemaDocument | null
  readonly target_keys: SchemaKeys | null
  readonly clearing: Clearing | null
}

/** The epoch and the settings are read with the current and the pending documents, in one snapshot. */
const currentSchemas = statement<{ workspace_id: string }, SchemaRow>(({ knex }) =>
  knex('schema_version as s')
    .join('workspace as w', 'w.id', 's.workspace_id')
    .leftJoin('schema_target as t', (join) => {
      join
        .on('t.workspace_id', 's.workspace_id')
        .andOn('t.object', 's.object')
        .andOnIn('t.target_state', ['announced', 'clearing'])
    })
    .select(
      'w.schema_epoch',
      'w.settings',
      's.version',
      's.document',
      's.keys',
      's.deleted_at',
      't.target_state',
      't.target',
      't.target_keys',
      't.clearing',
    )
    .where('s.workspace_id', param('workspace_id'))
    .whereNotExists(
      knex('schema_version as newer')
        .select('newer.version')
        .where('newer.workspace_id', param('workspace_id'))
        .where('newer.object', knex.ref('s.object'))
        .where('newer.version', '>', knex.ref('s.version')),
    )
    .orderBy('s.object'),
)

function schemaOf({
  schema_epoch: epoch,
  document,
  keys,
  version,
  target_state: state,
  target,
  target_keys: targetKeys,
  clearing,
}: SchemaRow): StoredSchema {
  const announced =
    state === 'announced' && target !== null && targetKeys !== null
      ? storedSchema(target, targetKeys, version + 1)
      : undefined
  const schema = storedSchema(document, hasKeys(keys) ? keys : plainKeys(document), version, epoch)
  return { ...schema, ...(announced && { announced }), ...(state === 'clearing' && clearing !== null && { clearing }) }
}

type ObjectGrant = {
  readonly schema_epoch: number
  readonly record_id: string
  readonly grantee_id: string
  readonly level: number
}

/**
 * Grants on whole objects, by the feed ids of their schemas. They belong to the set of schemas: changing one raises the
 * epoch.
 */
const objectGrants = statement<{ workspace_id: string; ids: unknown }, ObjectGrant>(({ knex, dialect }) =>
  knex('access_grant as g')
    .join('workspace as w', 'w.id', 'g.workspace_id')
    .select('w.schema_epoch', 'g.record_id', 'g.grantee_id', 'g.level')
    .where('g.workspace_id', param('workspace_id'))
    .where(dialect.oneOf('g.record_id', param('ids'))),
)

export type CurrentSchemas = {
  readonly epoch: number
  readonly settings: OwnSettings
  readonly schemas: readonly StoredSchema[]
}

/** The newest schema of each object that a workspace has, and its settings. */
export async function listCurrentSchemas(tx: ReadTx, workspaceId: string): Promise<CurrentSchemas> {
  const rows = await tx.all(currentSchemas, { workspace_id: workspaceId })
  const { schema_epoch: epoch, settings } = rows[0] ?? { schema_epoch: 0, settings: {} }
  const schemas = rows.filter(({ deleted_at }) => deleted_at === null).map(schemaOf)
  const feeds = new Map(schemas.map(({ keys }) => [schemaFeedId(workspaceId, keys.object), keys.object]))
  const grants = await tx.all(objectGrants, { workspace_id: workspaceId, ids: [...feeds.keys()] })
  // The schemas changed between the two reads.
  if (grants.some(({ schema_epoch: now }) => now !== epoch)) return listCurrentSchemas(tx, workspaceId)
  const byObject = Map.groupBy(grants, ({ record_id }) => feeds.get(record_id))
  return {
    epoch,
    settings,
    schemas: schemas.map((schema) => {
      const own = byObject.get(schema.keys.object)
      return own === undefined
        ? schema
        : { ...schema, grants: new Map(own.map(({ grantee_id, level }) => [grantee_id, level])) }
    }),
  }
}

const ended = statement<{ workspace_id: string }, { object: string; keys: SchemaKeys }>(({ knex }) =>
  knex('schema_version')
    .select('object', 'keys')
    .where('workspace_id', param('workspace_id'))
    .whereNotNull('deleted_at'),
)

/** The names of deleted objects, and the names under which they were stored. */
export const listEndedSchemas = async (
  tx: ReadTx,
  workspaceId: string,
): Promise<{ title: string; keys: SchemaKeys }[]> =>
  (await tx.all(ended, { workspace_id: workspaceId })).map(({ object, keys }) => ({ title: object, keys }))

type NewVersions = { readonly workspaceId: string; readonly userId: string; readonly now: number }

/**
 * A new version of an object. Without `keys` everything is stored under its own name; `deleted` marks the end of the
 * object.
 */
export type NewVersion = {
  readonly document: SchemaDocument
  readonly version: number
  readonly keys?: SchemaKeys
  readonly deleted?: boolean
}

export const insertSchemas = (
  tx: Tx,
  { workspaceId, userId, now }: NewVersions,
  versions: readonly NewVersion[],
): Promise<void> =>
  tx.insert(
    'schema_version',
    versions.map(({ document, version, keys = {}, deleted = false }) => ({
      workspace_id: workspaceId,
      object: document.title,
      version,
      document,
      keys,
      created_at: now,
      created_by: userId,
      deleted_at: deleted ? now : null,
    })),
  )

const highest = statement<{ workspace_id: string; object: string }, { version: number | null }>(({ knex }) =>
  knex('schema_version')
    .max('version as version')
    .where({ workspace_id: param('workspace_id'), object: param('object') }),
)

/** The number of the last version of an object of this name, however long ago it was deleted; 0 if there was none. */
export const findHighestVersion = async (tx: ReadTx, workspaceId: string, object: string): Promise<number> =>
  (await tx.first(highest, { workspace_id: workspaceId, object }))?.version ?? 0

/** Serialises changes of schemas in a workspace. Writes of records do not wait for it. */
export const lockEpoch = (tx: Tx, workspaceId: string): Promise<unknown> =>
  tx.query(({ knex, dialect }) =>
    dialect.locked(knex('workspace').select('schema_epoch').where('id', workspaceId), 'change'),
  )

/** Raises the epoch of a workspace after a change of its schemas or settings, in a call that holds them for it. */
export function raiseEpoch(tx: Tx, workspaceId: string): Promise<number> {
  tx.publish('access')
  return raiseEpochOfWrites(tx, workspaceId)
}

/** Raises the epoch of a workspace after a change that only writes go by, each of which finds out at its end. */
export const raiseEpochOfWrites = (tx: Tx, workspaceId: string): Promise<number> =>
  tx.change(({ knex }) => knex('workspace').where('id', workspaceId).increment('schema_epoch', 1))

/** The id of a schema in the feeds, derived from the key of its object; an object that is created anew has another. */
export const schemaFeedId = (workspaceId: string, objectKey: string): string =>
  derivedId(workspaceId, 'schema', objectKey)

import type { Role } from '@kontor/contract'
import type { ReadTx } from '../../../db/tx.ts'
import type { Actor } from '../../../kernel/actor.ts'
import type { WorkspaceNow } from '../../../kernel/clock.ts'
import { principalOf } from '../../access/index.ts'
import { compileObject, type ObjectModel } from '../../objects/index.ts'
import { firstMatchesIdSet, matchingIdSet, type IdSet } from '../../query/index.ts'
import { contextAs, standingOf } from '../../identity/acting/index.ts'
import type { SchemaSets } from '../../schemas/index.ts'
import { resolveQuery, type ResolvedQuery } from '../query/resolve.ts'
import type { ListRow } from '../store.ts'

/**
 * A list under evaluation: its membership is the same for all users, by what its owner may see (docs/decisions/0086).
 */
export type Subject = {
  readonly workspaceId: string
  readonly row: ListRow
  readonly object: ObjectModel
  readonly query: ResolvedQuery
  /** The records that its query selects now. */
  readonly members: IdSet
  /**
   * The role of its owner in the workspace when the evaluation began; undefined if the owner is no member, or if it has
   * no owner.
   */
  readonly ownerRole: Role | undefined
  readonly schemaEpoch: number
}

/** The actor of the events when records join and leave a list. */
export const actorOf = ({ owner_id, created_by }: ListRow, workspaceId: string): Actor =>
  owner_id === null
    ? { kind: 'workspace-key', keyId: created_by, workspaceId, scopes: [] }
    : { kind: 'user', userId: owner_id, scopes: [] }

/**
 * The records of a list; throws a `Failure` if its query does not fit the schemas, and returns undefined if its object
 * no longer exists.
 */
export async function subjectOf(
  tx: ReadTx,
  schemaSets: SchemaSets,
  at: WorkspaceNow,
  row: ListRow,
): Promise<Subject | undefined> {
  const { workspaceId } = at
  // By the cached set of the epoch: objects and the SQL of lists are compiled once for each set.
  const set = await schemaSets.readCurrent(tx, workspaceId)
  const schema = [...set.schemas.values()].find(({ keys }) => keys.object === row.object)
  if (schema === undefined || row.query === null) return undefined
  const object = compileObject(schema)
  const ownerRole = await ownerRoleOf(tx, at, row)
  // Without an owner who is a member, it is read as a workspace key.
  const evaluator = actorOf(ownerRole === undefined ? { ...row, owner_id: null } : row, workspaceId)
  const ctx = contextAs(tx, at, set, evaluator, ownerRole ?? 'member')
  const query = await resolveQuery(ctx, object, row.query, '', true)
  const records = {
    workspaceId,
    object,
    principal: principalOf(ctx, schema, 'read'),
    filter: query.filter,
    cursorScope: [],
  }
  const members =
    query.limit === undefined
      ? matchingIdSet(records)
      : firstMatchesIdSet({ ...records, sort: query.sort, limit: query.limit })
  return { workspaceId, row, object, query, members, ownerRole, schemaEpoch: set.epoch }
}

/** Returns the role of the owner of a list; undefined without one who is a member. */
async function ownerRoleOf(tx: ReadTx, at: WorkspaceNow, row: ListRow): Promise<Role | undefined> {
  if (row.owner_id === null) return undefined
  const standing = await standingOf(tx, at, actorOf(row, at.workspaceId))
  return 'role' in standing ? standing.role : undefined
}

/** Tells whether the membership of a list changes by time alone. */
export const dependsOnTime = ({ query }: ListRow): boolean =>
  query !== null && 'filter' in query && /"op":"within"/i.test(JSON.stringify(query.filter))

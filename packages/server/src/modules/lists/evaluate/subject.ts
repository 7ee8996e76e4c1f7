import type { Role } from '@kontor/contract'
import type { ReadTx } from '../../../db/tx.ts'
import type { Actor } from '../../../kernel/actor.ts'
import type { WorkspaceNow } from '../../../kernel/clock.ts'
import { principalOf } from '../../access/index.ts'
import { compileObject, type ObjectModel, linkEndOf } from '../../objects/index.ts'
import { firstMatchesIdSet, matchingIdSet, type IdSet } from '../../query/index.ts'
import { contextAs, standingOf } from '../../identity/acting/index.ts'
import type { SchemaSets } from '../../schemas/index.ts'
import { resolveQuery, type ResolvedQuery } from '../query/resolve.ts'
import type { ListRow } from '../store.ts'
import type { Condition, RelationshipStep, ResolvedFilter } from '../../filters/index.ts'

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

export type PathStep = Pick<RelationshipStep, 'field' | 'linkEnd' | 'target'>

/** The records at the end of a path, and the names of the fields that a query reads of them. */
type RecordsRead = {
  readonly path: readonly PathStep[]
  readonly object: ObjectModel
  readonly fields: ReadonlySet<string>
}

/** One field that is read; without a name, it is only checked that there is a record, and that it is visible. */
type Read = { readonly path: readonly PathStep[]; readonly name?: string | undefined }

/** Stands for every field, where a query searches in them or asks when a record was changed. */
const everyField = '*'

/** Tells whether a query reads one of some changed fields; undefined if any may have changed. */
export const reads = ({ fields }: RecordsRead, changed: ReadonlyMap<string, unknown> | undefined): boolean =>
  changed === undefined || fields.has(everyField) || changed.keys().some((name) => fields.has(name))

/** The field by which a record at the end of a step refers back. */
const counterpartOf = ({ field }: PathStep): string | undefined => field.relationship?.field

/** The same, where it is stored with that record: then it alone has an event when the reference changes. */
export const storedCounterpartOf = (step: PathStep): string | undefined =>
  step.target.references.find(({ name }) => name === counterpartOf(step))?.name

/** The records that the query of a list reads, if only to check that they are visible: its own, and related ones. */
export function readingsOf(
  object: ObjectModel,
  { filter, sort = [] }: Pick<ResolvedQuery, 'filter' | 'sort'>,
): readonly RecordsRead[] {
  const read: Read[] = [
    { path: [] },
    ...readByFilter(filter, object, []),
    ...sort.flatMap(({ column }) => readByColumn(column, object, [])),
  ]
  const all = read.flatMap((one) => [...alongPath(one), one])
  return [...Map.groupBy(all, ({ path }) => keyOf(path)).values()].map((some): RecordsRead => {
    const path = some[0]?.path ?? []
    const target = path.at(-1)?.target ?? object
    const names = [...some.map(({ name }) => name), target.visibility?.name]
    return { path, object: target, fields: new Set(names.filter((name) => name !== undefined)) }
  })
}

const keyOf = (path: readonly PathStep[]): string =>
  JSON.stringify(path.map(({ linkEnd, target }) => [linkEnd, target.name]))

/** The references that a path leads along: each is stored at one of its ends, or at both. */
const alongPath = ({ path }: Read): Read[] =>
  path.flatMap((step, index) => [
    { path: path.slice(0, index), name: step.field.name },
    { path: path.slice(0, index + 1), name: counterpartOf(step) },
  ])

function readByFilter(filter: ResolvedFilter | undefined, object: ObjectModel, before: readonly PathStep[]): Read[] {
  const all = (parts: readonly ResolvedFilter[]) => parts.flatMap((part) => readByFilter(part, object, before))
  if (filter === undefined) return []
  if ('search' in filter) return [{ path: before, name: everyField }]
  if ('and' in filter) return all(filter.and)
  if ('or' in filter) return all(filter.or)
  if ('not' in filter) return all([filter.not])
  if (!('exists' in filter)) return readByColumn(filter.column, object, [...before, ...filter.steps])
  const path = [...before, ...filter.exists]
  return [{ path }, ...readByFilter(filter.where, object, path)]
}

function readByColumn(column: Condition['column'], object: ObjectModel, path: readonly PathStep[]): Read[] {
  if (column.kind === 'system') return [{ path, name: column.column.startsWith('updated') ? everyField : undefined }]
  const { field, guard } = column
  const own: Read = { path, name: field.name }
  if (guard === undefined) return [own]
  const linkEnd = linkEndOf(path.at(-1)?.target ?? object, field)
  return [own, { path: [...path, { field, linkEnd, target: guard.target }] }]
}

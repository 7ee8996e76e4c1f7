import { aliased, scalarSubquery, plus, recordsOf, findsRow, minus } from '../../db/expressions.ts'
import type { Knex } from 'knex'
import { defined, textOf } from '../../lib/guards.ts'
import { privateCounter, publicCounter, totalInSql, totalRecords } from '../counters/index.ts'
import { param, statement } from '../../db/statement.ts'
import type { Sql } from '../../db/sql.ts'
import type { ReadTx } from '../../db/tx.ts'
import {
  atLeast,
  hidden,
  levelOf,
  levelOnAll,
  levelBeforeGrants,
  levelOnRecord,
  type Principal,
  type Level,
  type Securable,
} from './rules.ts'
import type { AccessLevel } from '@kontor/contract'
import { readTotal } from '../../db/rows.ts'

/** Tells whether the object's level opens it to the principal, except for its private records. */
const isOpen = (principal: Principal): boolean => atLeast(levelOnAll(principal), 'view')

/** Tells whether the principal sees everything of the object, so that no row needs a check. */
export const seesAll = (principal: Principal): boolean =>
  isOpen(principal) && (!principal.mayHide || principal.role === 'admin')

/**
 * The `visibility` above which the principal sees records as every member does: the ones shared with the workspace, or
 * all that are not private.
 */
export const sharedAbove = (principal: Principal): number => (isOpen(principal) ? hidden : 0)

/**
 * The one read predicate: narrows a query over `record`, or over a table with the same columns `id`, `owner_id` and
 * `visibility`, of the principal's workspace, under the given alias, to what the principal may see. Every read and
 * every count passes through here.
 */
export function whereVisible<Q extends Knex.QueryBuilder>(sql: Sql, query: Q, alias: string, principal: Principal): Q {
  const { workspaceId, userId } = principal
  const { knex } = sql
  if (seesAll(principal)) return query
  query.where((either) => {
    either.where(`${alias}.visibility`, '>', sharedAbove(principal))
    if (userId === null) return
    const granted = knex('access_grant as g')
      .select('g.record_id')
      .where({
        'g.workspace_id': workspaceId,
        'g.record_id': knex.ref(`${alias}.id`),
        'g.grantee_id': userId,
      })
    either.orWhere(`${alias}.owner_id`, userId).orWhere(findsRow(sql, granted))
  })
  return query
}

/** An object of a workspace, and the principal. */
type GrantQuery = { readonly workspaceId: string; readonly object: string; readonly principal: Principal }

/** The `visibility` values of records that the principal does not see as every member does. */
const unsharedOf = (principal: Principal): number[] => [
  ...(isOpen(principal) ? [] : [0]),
  ...(principal.mayHide ? [hidden] : []),
]

/**
 * Rows `record_id` of the private records of an object that the principal may see: owned ones that other members do not
 * see, and granted ones, each once.
 */
export function privateRows(
  { knex }: Pick<Sql, 'knex'>,
  { workspaceId, object, principal }: GrantQuery,
): Knex.QueryBuilder {
  const own = { workspace_id: workspaceId, owner_id: principal.userId, object }
  // One query for each value, since each has an index of its own.
  const owned = unsharedOf(principal).map((visibility) =>
    knex('record')
      .select('id as record_id')
      .where({ ...own, visibility })
      .whereNull('deleted_at'),
  )
  const granted = knex('access_grant')
    .select('record_id')
    .where({ workspace_id: workspaceId, grantee_id: principal.userId, object })
  return granted.union(owned)
}

/**
 * Selects the private records that the principal may see as `r`. A grant may also be on a public or a deleted record;
 * these are left out here.
 */
export const privateRecords = (sql: Sql, asked: GrantQuery): Knex.QueryBuilder =>
  sql.knex
    .from(recordsOf(sql, privateRows(sql, asked), asked.workspaceId))
    .where('r.object', asked.object)
    .whereNull('r.deleted_at')
    .whereIn('r.visibility', unsharedOf(asked.principal))

/** The number of private records that the principal may see, counted up to `rowsMax`. */
export async function countPrivate(tx: ReadTx, asked: GrantQuery, rowsMax: number): Promise<number> {
  if (asked.principal.userId === null) return 0
  return readTotal(tx, (sql) => sql.knex.count('* as total').from(privateRows(sql, asked).limit(rowsMax).as('c')))
}

const ownedWith = (visibility: number) =>
  statement<{ workspace_id: string; owner_id: string; object: string }, { id: string }>(({ knex }) =>
    knex('record')
      .select('id')
      .where({ workspace_id: param('workspace_id'), owner_id: param('owner_id'), object: param('object'), visibility })
      .whereNull('deleted_at')
      .limit(1),
  )

const anyOwned: Readonly<Record<number, ReturnType<typeof ownedWith>>> = {
  0: ownedWith(0),
  [hidden]: ownedWith(hidden),
}

/** Tells whether the principal owns any record of an object that other members do not see. */
export async function ownsAny(tx: ReadTx, { workspaceId, object, principal }: GrantQuery): Promise<boolean> {
  const { userId } = principal
  if (userId === null) return false
  const own = { workspace_id: workspaceId, owner_id: userId, object }
  const found = await Promise.all(
    unsharedOf(principal).map((visibility) => tx.first(defined(anyOwned[visibility]), own)),
  )
  return found.some((row) => row !== undefined)
}

/** Rows `record_id` of the public records: those that the principal sees as every member does. */
export const publicRows = (
  { knex }: Pick<Sql, 'knex'>,
  { workspaceId, object, principal }: GrantQuery,
): Knex.QueryBuilder =>
  knex('record')
    .select('id as record_id')
    .where({ workspace_id: workspaceId, object })
    .where('visibility', '>', sharedAbove(principal))
    .whereNull('deleted_at')

/** The number of public records, from a counter. */
export const countPublic = async (tx: ReadTx, { workspaceId, object, principal }: GrantQuery): Promise<number> =>
  isOpen(principal)
    ? (await totalRecords(tx, workspaceId, object)) - (await totalRecords(tx, workspaceId, privateCounter(object)))
    : totalRecords(tx, workspaceId, publicCounter(object))

/** The number of public records, as an SQL expression. */
export const publicTotalInSql = (sql: Sql, { workspaceId, object, principal }: GrantQuery): Knex.Raw =>
  isOpen(principal)
    ? minus(sql, totalInSql(sql, workspaceId, object), totalInSql(sql, workspaceId, privateCounter(object)))
    : totalInSql(sql, workspaceId, publicCounter(object))

/** The number of records that the principal may see, as an SQL expression. */
export const visibleTotalInSql = (sql: Sql, asked: GrantQuery): Knex.Raw =>
  asked.principal.userId === null
    ? publicTotalInSql(sql, asked)
    : plus(sql, publicTotalInSql(sql, asked), scalarSubquery(sql, privateRecords(sql, asked).count('* as total')))

/**
 * The number of records of an object, given by its key, that the principal may see: exact, however many there are.
 * Public records have a counter; only the private ones are counted one by one.
 */
export async function countVisible(tx: ReadTx, object: string, principal: Principal): Promise<number> {
  const { workspaceId } = principal
  if (seesAll(principal)) return totalRecords(tx, workspaceId, object)
  return readTotal(tx, (sql) =>
    sql.knex.select(aliased(sql, visibleTotalInSql(sql, { workspaceId, object, principal }), 'total')),
  )
}

/**
 * Narrows a query over the rows `s` of an ordered index, which carry the `visibility` of their records, to what the
 * principal may see. The index does not hold owners: each row costs a lookup of its record, unless the principal owns
 * nothing.
 */
export function whereVisibleRow<Q extends Knex.QueryBuilder>(
  sql: Sql,
  query: Q,
  { workspaceId, principal }: GrantQuery,
  owns: boolean,
): Q {
  const { knex } = sql
  const { userId } = principal
  query.where((either) => {
    either.where('s.visibility', '>', sharedAbove(principal))
    if (userId === null) return
    const own = { 'o.workspace_id': workspaceId, 'o.id': knex.ref('s.record_id'), 'o.owner_id': userId }
    const granted = { 'g.workspace_id': workspaceId, 'g.record_id': knex.ref('s.record_id'), 'g.grantee_id': userId }
    either.orWhere(findsRow(sql, knex('access_grant as g').select('g.record_id').where(granted)))
    if (owns) either.orWhere(findsRow(sql, knex('record as o').select('o.id').where(own)))
  })
  return query
}

const grantedTo = statement<
  { workspace_id: string; grantee_id: string; ids: unknown },
  { record_id: string; level: number }
>(({ knex, dialect }) =>
  knex('access_grant')
    .select('record_id', 'level')
    .where({ workspace_id: param('workspace_id'), grantee_id: param('grantee_id') })
    .where(dialect.oneOf('record_id', param('ids'))),
)

/** The levels granted to a user on some records, by record id. */
async function listGranted(
  tx: ReadTx,
  workspaceId: string,
  userId: string,
  ids: readonly string[],
): Promise<Map<string, Level>> {
  const rows = await tx.all(grantedTo, { workspace_id: workspaceId, grantee_id: userId, ids })
  return new Map(rows.map(({ record_id, level }) => [record_id, levelOf(level)]))
}

/**
 * The caller's level on each of some targets of one object, as far as `needed`: where a target already gives that
 * level, its grants are not looked up, so nothing is read if the object is open to all.
 */
export async function levelsOn(
  tx: ReadTx,
  workspaceId: string,
  principal: Principal,
  some: readonly Securable[],
  needed: AccessLevel,
): Promise<(one: Securable) => Level> {
  const open =
    principal.userId === null
      ? []
      : some.filter((one) => !atLeast(levelBeforeGrants(principal, one), principal.role === 'viewer' ? 'view' : needed))
  if (open.length === 0) return (one) => levelBeforeGrants(principal, one)
  const granted = await listGranted(
    tx,
    workspaceId,
    textOf(principal.userId),
    open.map(({ id }) => id),
  )
  return (one) => levelOnRecord(principal, one, granted.get(one.id) ?? 'none')
}

/** The caller's level on one target. */
export const levelOn = async (
  tx: ReadTx,
  workspaceId: string,
  principal: Principal,
  one: Securable,
  needed: AccessLevel,
): Promise<Level> => (await levelsOn(tx, workspaceId, principal, [one], needed))(one)

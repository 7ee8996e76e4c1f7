import type { Knex } from 'knex'
import { recordsOf, aliased } from '../../db/expressions.ts'
import type { Sql } from '../../db/sql.ts'
import { whereVisible } from '../access/index.ts'
import { filterCondition, sortedValue } from '../filters/index.ts'
import { isById, isByTime, type ListQuery } from './list-query.ts'
import type { AccessPath } from './access-paths/access-path.ts'
import { beyond, beyondId, beyondTime, ordered, orderKeys, positionValues } from './keyset.ts'

/** The records that a list query selects, as `r`; with an access path, those among the records that it finds. */
export function matching(sql: Sql, query: ListQuery, path?: Pick<AccessPath, 'rows'>): Knex.QueryBuilder {
  const { knex } = sql
  return whereMatching(
    sql,
    knex.queryBuilder().from(path === undefined ? 'record as r' : recordsOf(sql, path.rows(sql), query.workspaceId)),
    query,
  )
}

/**
 * Narrows a query over `r` to the records that a list query selects: every read of several records passes through here.
 */
export function whereMatching(
  sql: Sql,
  query: Knex.QueryBuilder,
  { workspaceId, object, principal, filter }: Pick<ListQuery, 'workspaceId' | 'object' | 'principal' | 'filter'>,
): Knex.QueryBuilder {
  const visible = whereVisible(
    sql,
    query.where({ 'r.workspace_id': workspaceId, 'r.object': object.key }).whereNull('r.deleted_at'),
    'r',
    principal,
  )
  return filter === undefined ? visible : visible.where(filterCondition(sql, filter))
}

/** Selects the keys of a page. Ids first, then their rows: three times faster at depth than sorting whole documents. */
export function keyQuery(
  sql: Sql,
  query: ListQuery,
  path: AccessPath | undefined,
  backward: boolean,
): Knex.QueryBuilder {
  const { sort, position, limit, offset } = query
  const { knex } = sql
  const keys = matching(sql, query, path).select(
    'r.id',
    ...sort.map(({ column }, index) => aliased(sql, sortedValue(sql, column), `s${index}`)),
  )
  const page = knex.select('*').from(keys.as('k'))
  const order = orderKeys(sort)
  if (position !== undefined)
    page.where(
      isByTime(query)
        ? beyondTime(sql, query, backward)
        : isById(query)
          ? beyondId(sql, query, backward)
          : beyond(sql, order, positionValues(position.at), backward),
    )
  ordered(sql, page, order, backward)
  page.limit(limit + 1)
  return position === undefined && offset > 0 ? page.offset(offset) : page
}

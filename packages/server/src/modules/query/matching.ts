import type { Knex } from 'knex'
import { recordsOf } from '../../db/expressions.ts'
import type { Sql } from '../../db/sql.ts'
import { whereVisible } from '../access/index.ts'
import { filterCondition } from './filter-sql.ts'
import type { ListQuery } from './list-query.ts'
import type { AccessPath } from './access-paths/access-path.ts'

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

import type { Knex } from 'knex'
import { recordAt, recordsOf } from '../../db/expressions.ts'
import type { Sql } from '../../db/sql.ts'
import type { Term } from '../indexes/index.ts'
import { searchPath } from './access-paths/by-key.ts'
import { keyQuery, whereMatching } from './matching.ts'
import type { IdSet, ListQuery } from './list-query.ts'
import { byCreation } from './sort.ts'

type QuerySet = Pick<ListQuery, 'workspaceId' | 'object' | 'principal' | 'filter'> & {
  readonly cursorScope: IdSet['cursorScope']
}

/** The id set of the records that a filter selects among those that the caller may see. */
export const matchingIdSet = ({ cursorScope, ...set }: QuerySet): IdSet => ({
  workspaceId: set.workspaceId,
  rows: (sql) => ({ query: whereMatching(sql, sql.knex.queryBuilder().from('record as r'), set), id: 'r.id' }),
  counter: undefined,
  label: 'the records of the list',
  cursorScope,
})

/** Rows of records that hold a text: a filter says where, and the search documents narrow down which to look at. */
export const containing = (
  sql: Sql,
  set: Pick<ListQuery, 'workspaceId' | 'object' | 'principal' | 'filter'>,
  terms: readonly Term[],
): Knex.QueryBuilder => {
  const { workspaceId, object } = set
  const path =
    terms.length === 0 ? undefined : searchPath({ search: { workspaceId, object: object.key, readings: [terms] } })
  const from = path === undefined ? 'record as r' : recordsOf(sql, path.rows(sql), workspaceId)
  return whereMatching(sql, sql.knex.queryBuilder().from(from), set)
}

/** The record with an id, if a filter selects it: a lookup by key, for a query that has the id. */
export const selected = (
  sql: Sql,
  set: Pick<ListQuery, 'workspaceId' | 'object' | 'principal' | 'filter'>,
  id: Knex.Raw,
): Knex.QueryBuilder =>
  whereMatching(sql, sql.knex.queryBuilder().from(recordAt(sql, { workspaceId: set.workspaceId, id }, 'r')), set)

type First = QuerySet & {
  /** If undefined, the oldest come first. */
  readonly sort: ListQuery['sort'] | undefined
  readonly limit: number
}

/** The id set of the first of these records in an order. */
export const firstMatchesIdSet = ({ sort = byCreation, limit, cursorScope, ...set }: First): IdSet => ({
  workspaceId: set.workspaceId,
  rows(sql) {
    const keys = keyQuery(
      sql,
      { ...set, sort, limit: limit - 1, offset: 0, position: undefined, idSet: undefined },
      undefined,
      false,
    )
    return { query: sql.knex.queryBuilder().from(keys.as('f')), id: 'f.id' }
  },
  counter: undefined,
  label: 'the first records of the list',
  cursorScope,
})

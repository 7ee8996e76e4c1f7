import { whereMatching } from './matching.ts'
import { keyQuery } from './key-query.ts'
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

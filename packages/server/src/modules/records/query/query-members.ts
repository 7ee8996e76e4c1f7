import { whereMatching } from './matching.ts'
import { keyQuery } from './page.ts'
import type { Members, PageRequest } from './page-request.ts'
import { byCreation } from './sort.ts'

type QuerySet = Pick<PageRequest, 'workspaceId' | 'object' | 'asker' | 'filter'> & { readonly scope: Members['scope'] }

/** The records that a filter finds: of those that the caller may see. */
export const matchingMembers = ({ scope, ...set }: QuerySet): Members => ({
  workspaceId: set.workspaceId,
  rows: (sql) => ({ query: whereMatching(sql, sql.knex.queryBuilder().from('record as r'), set), id: 'r.id' }),
  counter: undefined,
  words: 'the records of the list',
  scope,
})

type First = QuerySet & {
  /** Undefined: the oldest first. */
  readonly sort: PageRequest['sort'] | undefined
  readonly limit: number
}

/** The first of them in an order. */
export const firstMembers = ({ sort = byCreation, limit, scope, ...set }: First): Members => ({
  workspaceId: set.workspaceId,
  rows(sql) {
    const keys = keyQuery(sql, { ...set, sort, limit: limit - 1, offset: 0, position: undefined, members: undefined }, undefined, false)
    return { query: sql.knex.queryBuilder().from(keys.as('f')), id: 'f.id' }
  },
  counter: undefined,
  words: 'the first records of the list',
  scope,
})

import { keyQuery } from './page.ts'
import type { Members, PageRequest } from './page-request.ts'
import { byCreation } from './sort.ts'

type First = Pick<PageRequest, 'workspaceId' | 'object' | 'asker' | 'filter'> & {
  /** Undefined: the oldest first. */
  readonly sort: PageRequest['sort'] | undefined
  readonly limit: number
  readonly scope: Members['scope']
}

/** The first records of a list in its order: of those that the caller may see. */
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

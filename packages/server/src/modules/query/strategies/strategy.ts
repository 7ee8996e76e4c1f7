import type { ReadTx } from '../../../db/tx.ts'
import type { AccessPath } from '../access-paths/access-path.ts'
import type { ListQuery, PageRow } from '../list-query.ts'
import type { Total } from '../totals/total.ts'
import type { Planning } from './planning.ts'

/** A way to read lists. */
export type ListStrategy = {
  /** Plans a list; undefined if the strategy does not fit it, or if a later one costs less. */
  readonly tryPlan: (planning: Planning) => Promise<ListPlan | undefined> | ListPlan | undefined
}

/** A planned list: how its pages are read, and how its total is found. */
export type ListPlan = {
  /** Reads the rows of a page in order: one more than asked for if there are more in reading direction. */
  readonly page: (tx: ReadTx, query: ListQuery) => Promise<PageRow[]>
  /** The exact size of the list; one more than `countMax` if the list is larger. */
  readonly count: Total['count']
  /** The plan in sentences: one for the page, one for the total. */
  readonly explain: (query: ListQuery) => string[]
  /** The access path whose records are sorted for the page, if the page is read in this way. */
  readonly sortedPath?: AccessPath
}

/** Joins a way to read pages and a way to find the total. */
export const planOf = (
  { page, explain, sortedPath }: Pick<ListPlan, 'page' | 'sortedPath'> & { explain: (query: ListQuery) => string },
  total: Total,
): ListPlan => ({
  page,
  count: total.count,
  explain: (query) => [explain(query), total.explain(query)],
  ...(sortedPath && { sortedPath }),
})

/** The columns that a list is sorted by, in an explained plan. */
export const sortColumns = ({ sort }: ListQuery): string => sort.map(({ column }) => column.name).join(', ')

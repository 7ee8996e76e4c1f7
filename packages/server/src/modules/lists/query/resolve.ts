import type { ListQuery } from '@kontor/contract'
import { Failure } from '../../../kernel/errors.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { fromTree, resolveFilter, type ObjectModel, type ResolvedFilter, type SortKey } from '../../records/index.ts'
import type { FoundList } from '../find.ts'

export type QueryContext = WorkspaceReadContext<'unknown_field' | 'unknown_operator' | 'unknown_value' | 'unsupported_sql'>

/** What a dynamic list consists of, as far as whoever asks may see what its conditions speak of. */
export type ResolvedQuery = {
  readonly filter: ResolvedFilter | undefined
  /** Undefined where the query says nothing of an order. */
  readonly sort: readonly SortKey[] | undefined
  /** The list has so many records at most, the first in its order. */
  readonly limit: number | undefined
}

/** Checks a query against the schemas; `pointer` is where in the body it stands. */
export async function resolveQuery(ctx: QueryContext, object: ObjectModel, query: ListQuery, pointer: string): Promise<ResolvedQuery> {
  if ('sql' in query) throw ctx.fail('unsupported_sql', { detail: 'SQL is not there yet.', source: { pointer: `${pointer}/sql` } })
  const filter = await resolveFilter(ctx, object, fromTree(query.filter, `${pointer}/filter`), () => ({ pointer: `${pointer}/filter` }))
  return { filter, sort: undefined, limit: undefined }
}

/** What a stored query says today; 409 where it does not fit the schemas any more. */
export async function resolveStored(ctx: WorkspaceReadContext<'list_broken'>, { object, row }: Pick<FoundList, 'object' | 'row'>, query: ListQuery): Promise<ResolvedQuery> {
  try {
    return await resolveQuery(ctx as unknown as QueryContext, object, query, '')
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw ctx.fail('list_broken', { detail: `The query of the list "${row.title}" does not fit the schemas any more: ${error.message}` })
  }
}

import { resources, type Output, type RecordResource, type SortColumn } from '@kontor/contract'
import type { Connected } from '../connection.ts'
import type { Filters } from './query.ts'

/** The common parts of pages of records, live or deleted. */
export type Page = Pick<Output<typeof resources.list>, 'meta' | 'links'> & { readonly data: RecordResource[] }

export type ListQuery = {
  readonly filter: Filters | undefined
  readonly search: string | undefined
  readonly sortOrder: SortColumn[] | undefined
}

const pageRows = 500

/** Pages of records by following the links, until `limit` records have come. */
export function listRecords(
  { rest, workspace }: Connected,
  object: string,
  { filter, search, sortOrder }: ListQuery,
  limit: number,
): AsyncGenerator<Page, void, undefined> {
  const query = {
    ...(filter && { filter }),
    ...(search !== undefined && { search }),
    ...(sortOrder && { sortOrder }),
    page: { limit: Math.min(limit, pageRows) },
  }
  return upTo(limit, rest.pages(resources.list, { workspace, object, ...query }))
}

/** Lists deleted records, the last deleted first. */
export const listDeleted = (
  { rest, workspace }: Connected,
  object: string,
  limit: number,
): AsyncGenerator<Page, void, undefined> =>
  upTo(limit, rest.pages(resources.listDeleted, { workspace, object, page: { limit: Math.min(limit, pageRows) } }))

async function* upTo(limit: number, pages: AsyncIterable<Page>): AsyncGenerator<Page, void, undefined> {
  let left = limit
  for await (const page of pages) {
    yield { ...page, data: page.data.slice(0, left) }
    left -= page.data.length
    if (left <= 0) return
  }
}

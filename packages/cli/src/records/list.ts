import { resources, type Output, type SortColumn } from '@kontor/contract'
import type { Connected } from '../connection.ts'
import type { Filters } from './query.ts'

export type Page = Output<typeof resources.list>

export type ListQuery = { readonly filter: Filters | undefined; readonly sortOrder: SortColumn[] | undefined }

const pageRows = 500

/** Pages of records by following the links, until `limit` records have come. */
export async function* listRecords({ rest, workspace }: Connected, object: string, { filter, sortOrder }: ListQuery, limit: number): AsyncGenerator<Page, void, undefined> {
  const query = { ...(filter && { filter }), ...(sortOrder && { sortOrder }), page: { limit: Math.min(limit, pageRows) } }
  let left = limit
  for await (const page of rest.pages(resources.list, { workspace, object, ...query })) {
    yield { ...page, data: page.data.slice(0, left) }
    left -= page.data.length
    if (left <= 0) return
  }
}

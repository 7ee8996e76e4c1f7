import { queryString } from '@kontor/contract/query-string'
import { isRecord } from './guards.ts'

/** Facts about the page of a list. */
type PageFacts = {
  /** Absolute URL of the list, without a query. */
  readonly url: string
  /** The other query parameters, which every link repeats. */
  readonly query: Readonly<Record<string, unknown>>
  readonly offset: number
  readonly limit: number
  /**
   * Records in this page. Fewer than the limit also where a page read backwards from an odd offset reaches the
   * beginning.
   */
  readonly shown: number
  /** Undefined if the caller does not want a count. */
  readonly total: number | undefined
  /** Cursors of the neighbouring pages, if there are any; true for a page that only an offset can reach. */
  readonly after: string | true | undefined
  readonly before: string | true | undefined
}

/** `meta` and `links` of spec §2. Links are absolute and percent-encoded, and carry offset and cursor. */
export function pageEnvelope({ url, query, offset, limit, shown, total, after, before }: PageFacts) {
  const pageOf = (to: number) => ({ ...(isRecord(query['page']) && query['page']), offset: Math.max(0, to), limit })
  const link = (to: number, cursor: Record<string, string>) =>
    urlWith(url, { ...query, page: { ...pageOf(to), ...cursor } })
  // A page beyond the last one has no record to make a cursor of, but it is not the first.
  const beyondEnd = total !== undefined && offset > 0 && offset >= total ? link(total - limit, {}) : null
  const from = shown === 0 && total !== undefined ? Math.min(offset, total) : offset
  return {
    meta: {
      ...(total !== undefined && { total_records: total, total_pages: Math.ceil(total / limit) }),
      offset,
      limit,
    },
    links: {
      next: after === undefined ? null : link(offset + shown, along('after', after)),
      prev: before === undefined ? beyondEnd : link(from - limit, along('before', before)),
    },
  }
}

const along = (direction: 'after' | 'before', cursor: string | true): Record<string, string> =>
  cursor === true ? {} : { [direction]: cursor }

/** A URL with query parameters. */
export const urlWith = (url: string, query: Readonly<Record<string, unknown>>): string => `${url}${queryString(query)}`

/** The envelope of a short list that is paged by offset alone. */
export const offsetEnvelope = (
  url: string,
  page: { readonly offset: number; readonly limit: number },
  total: number,
  query: Readonly<Record<string, unknown>> = {},
) => {
  const link = (offset: number) => urlWith(url, { ...query, page: { offset, limit: page.limit } })
  const { offset, limit } = page
  return {
    meta: { total_records: total, total_pages: Math.ceil(total / limit), offset, limit },
    links: {
      next: offset + limit < total ? link(offset + limit) : null,
      prev: offset > 0 ? link(Math.max(0, Math.min(offset, total) - limit)) : null,
    },
  }
}

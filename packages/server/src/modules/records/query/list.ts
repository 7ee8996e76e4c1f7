import { wholePageMax, type Filter, type FilterQuery, type RecordPage, type RecordResource, type SortColumn } from '@kontor/contract'
import type { Answer, LongAnswer, Portions } from '../../../kernel/implement.ts'
import { gathered } from '../../../kernel/portions.ts'
import { fromQuery, fromTree } from './filter.ts'
import { listingOf, type Envelope, type ListBody, type ListContext, type Listing, type Question, type Shown } from './listing.ts'
import { countMatching } from './page.ts'
import { portionRows, readPage } from './portions.ts'
import type { SparseFields } from './sparse.ts'

type Common = { readonly workspace: string; readonly object: string }

type ListInput = Common & {
  readonly page: RecordPage
  readonly sortOrder?: SortColumn | SortColumn[] | undefined
  readonly filter?: FilterQuery
  readonly fields?: SparseFields | undefined
}

type ListAnswer = Promise<Answer<ListBody> | LongAnswer<ListBody>>

/** A page of an object's records that the caller may see, with the exact size of the whole set. */
export const listRecords = (ctx: ListContext, { workspace, object, page, sortOrder, filter, fields }: ListInput): ListAnswer =>
  answerPage(ctx, {
    workspace,
    object,
    fields,
    page,
    sortOrder,
    filter: filter && fromQuery(filter),
    filterText: filter,
    path: 'resources',
    linkQuery: { sortOrder, filter, fields, page: page.total === 'none' ? { total: 'none' } : {} },
  })

type QueryInput = Common & {
  /** The page of a link; it wins over that of the body. */
  readonly page?: Partial<Record<'offset' | 'limit', number | undefined>> & Partial<Record<'after' | 'before', string | undefined>> | undefined
  readonly body: { readonly filter?: Filter | undefined; readonly sort?: SortColumn[] | undefined; readonly page: RecordPage; readonly fields?: SparseFields | undefined }
}

/** The same for a filter tree; the links are to be sent the same body. */
export function queryRecords(ctx: ListContext, { workspace, object, page: linked, body }: QueryInput): ListAnswer {
  const cursor = linked?.after !== undefined || linked?.before !== undefined ? { after: undefined, before: undefined } : {}
  const given = Object.fromEntries(Object.entries(linked ?? {}).filter(([, value]) => value !== undefined))
  return answerPage(ctx, {
    workspace,
    object,
    fields: body.fields,
    page: { ...body.page, ...cursor, ...given },
    sortOrder: body.sort,
    filter: body.filter && fromTree(body.filter, '/filter'),
    filterText: body.filter,
    path: 'resources/query',
    linkQuery: {},
  })
}

async function answerPage(ctx: ListContext, question: Question): ListAnswer {
  const listing = await listingOf(ctx, question)
  const { request } = listing
  const isLong = request.limit > wholePageMax
  if (isLong && !ctx.takesPortions) {
    throw ctx.fail('invalid_parameter', { detail: `At most ${wholePageMax} records at once; over REST, more come in portions.`, source: { parameter: 'page[limit]' } })
  }
  const rows = readPage(ctx.tx, request)
  const [opening, total] = await Promise.all([rows.next(), question.page.total === 'none' ? undefined : countMatching(ctx.tx, request)])
  const portions = present(listing, opening, rows, total)
  // One that asks for more than there is need not come in portions.
  return isLong && opening.done !== true && opening.value.length === portionRows ? { portions } : { body: await gathered(portions) }
}

type Rows = ReturnType<typeof readPage>

async function* present(listing: Listing, opening: Awaited<ReturnType<Rows['next']>>, rows: Rows, total: number | undefined): Portions<RecordResource, Envelope> {
  const ends: { -readonly [K in 'first' | 'last' | 'count']: Shown[K] } = { first: undefined, last: undefined, count: 0 }
  for (let next = opening; ; next = await rows.next()) {
    if (next.done === true) return listing.envelope({ ...ends, ...next.value }, total)
    ends.first ??= next.value[0]
    ends.last = next.value.at(-1) ?? ends.last
    ends.count += next.value.length
    yield listing.present(next.value)
  }
}

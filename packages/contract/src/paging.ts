import { z } from 'zod'
import { listExplanation } from './explain.ts'

export const sortColumn = z
  .strictObject({
    column: z.string().min(1).max(200).meta({ description: 'Field to sort by.' }),
    dir: z.enum(['ASC', 'DESC']).meta({ description: 'Direction; required with a column.' }),
  })
  .meta({ id: 'SortColumn' })

export const sortColumnsMax = 5

/** Records in a page, where none are asked for (spec §8). */
export const pageLimitDefault = 50

/** One column, or up to five as `sortOrder[0][column]`, `sortOrder[0][dir]`, … */
export const sortOrder = z.union([sortColumn, z.array(sortColumn).min(1).max(sortColumnsMax)])

/** The same in a body. */
export const sortList = z.array(sortColumn).min(1).max(sortColumnsMax)

/** Records of an answer that are sent at once; larger pages come in portions. Spec §8 recommends no more. */
export const wholePageMax = 1000

type PageOptions = { readonly limitDefault?: number; readonly limitMax?: number }

const offsetAndLimit = ({ limitDefault = pageLimitDefault, limitMax }: PageOptions) => ({
  offset: z.int().min(0).default(0).meta({ description: 'Records to skip.' }),
  limit: (limitMax === undefined ? z.int().min(1) : z.int().min(1).max(limitMax))
    .default(limitDefault)
    .meta({ description: 'Records in a page.' }),
})

/** `page[…]` of a short list, read by offset alone. */
export const offsetPageQuery = (options: PageOptions = {}) => ({
  page: z.strictObject(offsetAndLimit(options)).prefault({}),
})

/** `page[…]` of a list endpoint. The offset counts records; a cursor, where given, wins over the offset. */
export const pageQuery = (options: PageOptions = {}) => ({
  page: z
    .strictObject({
      ...offsetAndLimit(options),
      after: z.string().min(1).max(4096).optional().meta({ description: 'Opaque cursor, as found in `links.next`.' }),
      before: z.string().min(1).max(4096).optional().meta({ description: 'Opaque cursor, as found in `links.prev`.' }),
    })
    .prefault({}),
})

/** `page[total]=none` skips the count, for callers that do not need it. */
export const recordPageQuery = () => {
  const portions = `More than ${wholePageMax} come in portions; over tRPC and actions, it is the most.`
  const { page } = pageQuery()
  const members = page.unwrap().extend({
    limit: z
      .int()
      .min(1)
      .default(50)
      .meta({ description: `Records in a page. ${portions}` }),
    total: z.enum(['exact', 'none']).default('exact').meta({ description: '`none` omits the total.' }),
  })
  return { page: members.prefault({}) }
}

const cursorText = z.string().min(1).max(4096)

/** The page that a link of a POST carries; it wins over that of the body. */
export const linkedPageQuery = {
  page: z
    .strictObject({
      offset: z.int().min(0).optional().meta({ description: 'As found in a link.' }),
      limit: z.int().min(1).optional().meta({ description: 'As found in a link.' }),
      after: cursorText.optional().meta({ description: 'As found in `links.next`.' }),
      before: cursorText.optional().meta({ description: 'As found in `links.prev`.' }),
    })
    .optional()
    .meta({ description: 'As found in `links.next` and `links.prev`.' }),
}

/** The same of a list that is read by offset alone. */
export const linkedOffsetQuery = {
  page: linkedPageQuery.page
    .unwrap()
    .pick({ offset: true, limit: true })
    .optional()
    .meta({ description: 'As found in `links.next` and `links.prev`.' }),
}

export const sortQuery = { sortOrder: sortOrder.optional() }

export const pageMeta = z
  .object({
    total_records: z.int().meta({ description: 'Exact number of records in the whole set.' }),
    total_pages: z.int(),
    offset: z.int(),
    limit: z.int(),
  })
  .meta({ id: 'PageMeta' })

export const pageLinks = z
  .object({
    next: z
      .string()
      .nullable()
      .meta({ description: 'Absolute URL of the next page, to be followed unchanged; null on the last page.' }),
    prev: z.string().nullable().meta({ description: 'Absolute URL of the previous page; null on the first.' }),
  })
  .meta({ id: 'PageLinks' })

export const cursorLinks = z
  .object({ next: z.string().nullable().meta({ description: 'Absolute URL of the next page; null on the last.' }) })
  .meta({ id: 'CursorLinks' })

/** The envelope of spec §2 around a kind of resource. */
export const page = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), meta: pageMeta, links: pageLinks })

/** Narrows a list down to what has a text in its name. */
export const nameSearch = {
  search: z.string().min(1).max(200).optional().meta({ description: 'A part of the name, regardless of case.' }),
}

/** Narrows a list down by its names, with the operators of text fields; a name by itself is `Is`. */
export const nameFilter = z
  .union([z.string().max(200), z.record(z.string().max(40), z.string().max(200))])
  .optional()
  .meta({
    description:
      'The name, regardless of case: `filter[name]=Welcome`, or with an operator of text fields: ' +
      '`filter[name][Starts with]=Wel`.',
    example: { 'Starts with': 'Welcome' },
  })

/**
 * A list that is read by offset and sorted by some columns: what every short list is made of, so that none lacks pages
 * or an
 * order. `more` are its other query parameters; the handler orders by `requestedOrder`.
 */
export const shortList = <T extends z.ZodType, More extends z.ZodRawShape>(
  item: T,
  sortColumns: readonly string[],
  more: More,
) => ({
  query: z.strictObject({
    ...offsetPageQuery(),
    sortOrder: sortColumn.optional().meta({ description: `By ${sortColumns.join(', ')}.` }),
    ...more,
  }),
  response: page(item),
  errors: ['unknown_field'] as const,
})

/**
 * A list that grows while it is read: a short list whose links also carry cursors, so that a client that follows them
 * sees each item once, whatever is added or removed meanwhile. The handler pages with `CursorPages`.
 */
export const growingList = <T extends z.ZodType, More extends z.ZodRawShape>(
  item: T,
  sortColumns: readonly string[],
  more: More,
) => {
  const { query, response } = shortList(item, sortColumns, more)
  return { query: query.extend(pageQuery()), response, errors: ['unknown_field', 'cursor_mismatch'] as const }
}

/** Hits of a search that are counted. */
export const searchCountedMax = 10_000

/** Says that counting stopped. */
export const totalCapped = z
  .literal(true)
  .optional()
  .meta({
    description:
      `With a search that finds more than ${searchCountedMax} records: counting stops there, and so does ` +
      `\`total_records\`.`,
  })

export const recordPageMeta = pageMeta
  .partial({ total_records: true, total_pages: true })
  .extend({ total_capped: totalCapped, explain: listExplanation.optional() })
  .meta({ id: 'RecordPageMeta' })

export type RecordPage = z.output<ReturnType<typeof recordPageQuery>['page']>
export type Page = z.output<ReturnType<typeof pageQuery>['page']>
export type SortColumn = z.output<typeof sortColumn>

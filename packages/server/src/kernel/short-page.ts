import type { Endpoint, Page, SortColumn } from '@kontor/contract'
import type { ReadTx } from '../db/tx.ts'
import { invariant, memberOf, textOf } from '../lib/guards.ts'
import { offsetEnvelope } from '../lib/page-links.ts'
import { CursorPages, type ListFacts } from './cursor-pages.ts'
import type { WorkspaceReadContext } from './implement.ts'
import { bareName, requestedOrder, type Order, type SortOrder } from './requested-order.ts'

/** The endpoint of a list. */
type Listed = Pick<Endpoint, 'path' | 'query'>

type ListInput = { readonly page: Page; readonly sortOrder?: SortColumn | undefined }

type Part<Row> = { readonly rows: readonly Row[]; readonly total: number }

/** The reading of a list that the contract declares as `shortList` or `growingList`. */
type ListReading<Column extends string, Slice, Row> = {
  /** The database columns, by the names that the list is sorted by. */
  readonly columns: Readonly<Record<string, Column>>
  /** The order without `sortOrder`. */
  readonly otherwise: Order<Column>
  readonly read: (tx: ReadTx, order: SortOrder<Column>, slice: Slice) => Promise<Part<Row>>
}

type OffsetSlice = { readonly offset: number; readonly rows: number }

/** Reads a page of a short list, with `meta` and with links that repeat every parameter of the endpoint. */
export async function shortPage<Column extends string, Row>(
  ctx: WorkspaceReadContext<'unknown_field'>,
  endpoint: Listed,
  input: ListInput,
  { columns, otherwise, read }: ListReading<Column, OffsetSlice, Row>,
) {
  const { page, sortOrder } = input
  const order = requestedOrder(ctx, sortOrder, columns, otherwise)
  const { rows, total } = await read(ctx.tx, order, { offset: page.offset, rows: page.limit })
  return { rows, ...offsetEnvelope(urlOf(ctx, endpoint, input), page, total, queryOf(endpoint, input)) }
}

/** Reads a page of a list that grows while it is read, whose links also carry cursors. */
export async function growingPage<Column extends string, Row extends { readonly id: string }>(
  ctx: WorkspaceReadContext<'unknown_field' | 'cursor_mismatch'>,
  endpoint: Listed,
  input: ListInput,
  { columns, otherwise, read }: ListReading<Column, CursorPages['part'], Row>,
) {
  const order = requestedOrder(ctx, input.sortOrder, columns, otherwise)
  const pages = cursorPages(ctx, endpoint, input, order)
  const { rows, total } = await read(ctx.tx, order, pages.part)
  return pages.envelope(rows, total, (row) => ({ value: sortedBy(row, order.column), id: row.id }))
}

/** Returns the pages of a list that grows while it is read, for an endpoint that reads them in a way of its own. */
export const cursorPages = (
  ctx: WorkspaceReadContext<'cursor_mismatch'>,
  endpoint: Listed,
  input: ListInput,
  order: ListFacts['order'],
): CursorPages =>
  new CursorPages(ctx, input.page, { url: urlOf(ctx, endpoint, input), query: queryOf(endpoint, input), order })

/** Returns the value of the column that a row is sorted by. */
function sortedBy(row: object, column: string): string | number | null {
  const value = memberOf(row, bareName(column))
  invariant(value === null || typeof value === 'string' || typeof value === 'number', `rows lack ${column}`)
  return value
}

/** Returns the absolute URL of the list that a call reads. */
export const urlOf = ({ baseUrl }: WorkspaceReadContext, { path }: Listed, input: object): string =>
  baseUrl + path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => textOf(memberOf(input, name)))

/** Returns the parameters that every link repeats. */
export const queryOf = ({ query }: Listed, input: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.keys(query?.shape ?? {})
      .filter((name) => name !== 'page')
      .map((name) => [name, memberOf(input, name)]),
  )

import { wholePageMax } from '@kontor/contract'
import type { ReadTx } from '../../db/tx.ts'
import type { KeysetPosition } from './cursor.ts'
import { idSetPath } from './access-paths/id-set.ts'
import { keyQuery } from './matching.ts'
import type { KeyRow, ListQuery, PageRow } from './list-query.ts'
import { sortedBy } from './strategies/page-by-keys.ts'
import type { ListPlan } from './strategies/strategy.ts'
import type { SortKey } from './sort.ts'

/** Tells whether a list has more rows before and after a page. */
export type HasMore = { readonly before: boolean; readonly after: boolean }

type PageStream = AsyncGenerator<readonly PageRow[], HasMore, undefined>

/**
 * Rows in a chunk of a page longer than `wholePageMax`. For an answer of 100,000 rows, the server holds 35 MiB more
 * than for one of a hundred, and a reader process as much again; with chunks of 1,000 it is twice that, and 300 MiB
 * with the whole answer at once.
 */
export const chunkRows = 500

/**
 * Reads the rows of a page: a short page at once, a longer one in chunks. What lies beside the page is known at its
 * end.
 */
export const readPage = (tx: ReadTx, query: ListQuery, plan: ListPlan): PageStream =>
  query.position?.direction !== 'before'
    ? forwards(tx, query, plan)
    : query.limit > wholePageMax
      ? forwardsUpTo(tx, query, plan, query.position.at)
      : backwards(tx, query, plan)

async function* backwards(tx: ReadTx, query: ListQuery, plan: ListPlan): PageStream {
  const rows = await plan.page(tx, query)
  const before = rows.length > query.limit
  yield before ? rows.slice(-query.limit) : rows
  return { before, after: true }
}

/**
 * Reads a page that ends at a cursor and is too large to reverse. It is read forwards, from the row before it up to the
 * cursor. So the page also has rows that are created in it meanwhile; if it ended at its limit, the rows next to the
 * cursor would be skipped.
 */
async function* forwardsUpTo(tx: ReadTx, query: ListQuery, plan: ListPlan, end: KeysetPosition): PageStream {
  const edge = await positionBefore(tx, query, plan)
  yield* forwards(
    tx,
    { ...query, limit: Infinity, offset: 0, position: edge && { at: edge, direction: 'after' } },
    plan,
    end,
  )
  return { before: edge !== undefined, after: true }
}

/**
 * The position after which a page begins that ends at a cursor; undefined if the page begins at the start of the list.
 */
async function positionBefore(
  tx: ReadTx,
  query: ListQuery,
  { sortedPath }: ListPlan,
): Promise<KeysetPosition | undefined> {
  const path = sortedPath ?? (query.idSet && idSetPath(query.idSet))
  const [key] = await tx.query<KeyRow>((sql) => keyQuery(sql, { ...query, limit: 0 }, path, true).offset(query.limit), {
    heavy: true,
  })
  return key && { values: sortedBy(query, key), id: key.id }
}

/**
 * Reads a page in chunks. Each chunk continues after the last row of the one before, as a next page would, and nothing
 * is held in between: no transaction, no reader. A row that exists throughout appears once, whatever is written
 * meanwhile.
 */
async function* forwards(tx: ReadTx, query: ListQuery, plan: ListPlan, end?: KeysetPosition): PageStream {
  const before = query.position !== undefined || query.offset > 0
  const atOnce = query.limit > wholePageMax ? chunkRows : query.limit
  let { limit: left, position } = query
  for (;;) {
    const limit = Math.min(left, atOnce)
    const read = await plan.page(tx, { ...query, limit, position })
    const rows = end === undefined ? read : read.filter((row) => isBefore(query.sort, positionOf(row), end))
    const last = rows[limit - 1]
    yield rows.length > limit ? rows.slice(0, limit) : rows
    left -= limit
    if (rows.length <= limit || left === 0 || last === undefined) return { before, after: rows.length > limit }
    position = { at: positionOf(last), direction: 'after' }
  }
}

const positionOf = ({ sorted, id }: PageRow): KeysetPosition => ({ values: sorted, id })

/** Tells whether a position comes before another: empty values last, texts by their bytes, as both databases sort. */
function isBefore(sort: readonly SortKey[], a: KeysetPosition, b: KeysetPosition): boolean {
  for (const [index, { descending }] of sort.entries()) {
    const [left, right] = [a.values[index] ?? null, b.values[index] ?? null]
    if (left === right) continue
    if (left === null || right === null) return right === null
    return compare(left, right) < 0 !== descending
  }
  return a.id !== b.id && a.id < b.id !== (sort[0]?.descending === true)
}

const compare = (left: string | number, right: string | number): number =>
  typeof left === 'number' ? left - Number(right) : Buffer.compare(Buffer.from(left), Buffer.from(String(right)))

import { wholePageMax } from '@kontor/contract'
import type { ReadTx } from '../../db/tx.ts'
import type { KeysetPosition } from './cursor.ts'
import { listPage, positionBefore } from './key-query.ts'
import type { PageRow } from './list-query.ts'
import type { PlannedRequest } from './strategies/planner.ts'
import type { SortKey } from './sort.ts'

/** Tells whether a list has more rows before and after a page. */
export type Neighbours = { readonly before: boolean; readonly after: boolean }

type PageStream = AsyncGenerator<readonly PageRow[], Neighbours, undefined>

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
export const readPage = (tx: ReadTx, request: PlannedRequest): PageStream =>
  request.position?.direction !== 'before'
    ? forwards(tx, request)
    : request.limit > wholePageMax
      ? towards(tx, request, request.position.at)
      : backwards(tx, request)

async function* backwards(tx: ReadTx, request: PlannedRequest): PageStream {
  const rows = await listPage(tx, request)
  const before = rows.length > request.limit
  yield before ? rows.slice(-request.limit) : rows
  return { before, after: true }
}

/**
 * Reads a page that ends at a cursor and is too large to reverse. It is read forwards, from the row before it up to the
 * cursor. So the page also has rows that are created in it meanwhile; if it ended at its limit, the rows next to the
 * cursor would be skipped.
 */
async function* towards(tx: ReadTx, request: PlannedRequest, end: KeysetPosition): PageStream {
  const edge = await positionBefore(tx, request)
  yield* forwards(
    tx,
    { ...request, limit: Infinity, offset: 0, position: edge && { at: edge, direction: 'after' } },
    end,
  )
  return { before: edge !== undefined, after: true }
}

/**
 * Reads a page in chunks. Each chunk continues after the last row of the one before, as a next page would, and nothing
 * is held in between: no transaction, no reader. A row that exists throughout appears once, whatever is written
 * meanwhile.
 */
async function* forwards(tx: ReadTx, request: PlannedRequest, end?: KeysetPosition): PageStream {
  const before = request.position !== undefined || request.offset > 0
  const atOnce = request.limit > wholePageMax ? chunkRows : request.limit
  let { limit: left, position } = request
  for (;;) {
    const limit = Math.min(left, atOnce)
    const found = await listPage(tx, { ...request, limit, position })
    const rows = end === undefined ? found : found.filter((row) => isBefore(request.sort, positionOf(row), end))
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

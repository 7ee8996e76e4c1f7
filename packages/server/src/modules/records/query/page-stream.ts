import { wholePageMax } from '@kontor/contract'
import type { ReadTx } from '../../../db/tx.ts'
import type { KeysetPosition } from './cursor.ts'
import { listPage, positionBefore } from './page-reader.ts'
import type { PageRow } from './list-query.ts'
import type { PlannedRequest } from './plan/plan.ts'
import type { SortKey } from './sort.ts'

/** Whether a list has more rows to either side of a page. */
export type Neighbours = { readonly before: boolean; readonly after: boolean }

type PageStream = AsyncGenerator<readonly PageRow[], Neighbours, undefined>

/**
 * Rows that are read at once where a page has more than `wholePageMax`. Of an answer of 100,000 the server then holds 35
 * MiB more than of a hundred, and a reader process as much again; with 1,000 twice that, and 300 with all.
 */
export const chunkRows = 500

/** The rows of a page, all at once where they are few; what is beside it becomes known at its end. */
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
 * A page too large to be turned round: it is read forwards, from the row that stands before it up to the cursor. So it also
 * has what is created there while it is read; were it to end at its limit, the rows next to the cursor would be passed over.
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
 * Each portion goes on behind the last row of the one before, as a next page would, and nothing is held in between: no
 * transaction, no reader. What is there throughout comes once, whatever is written meanwhile.
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

/** Whether a position comes before another: empty values last, texts by their bytes, as both databases sort. */
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

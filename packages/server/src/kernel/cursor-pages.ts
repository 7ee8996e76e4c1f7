import { createHash } from 'node:crypto'
import type { Page } from '@kontor/contract'
import { pageEnvelope } from '../lib/page-links.ts'
import { isId } from './ids.ts'
import type { WorkspaceReadContext } from './implement.ts'

type Position = { readonly value: string | number | null; readonly id: string }

type Part = {
  readonly offset: number
  readonly rows: number
  readonly beyond: (Position & { readonly direction: 'after' | 'before' }) | undefined
}

/** Identity of a list, whichever page is read: a cursor of another list does not fit. */
export type ListFacts = {
  /** Absolute URL of the list, without a query. */
  readonly url: string
  /** The order that it is read in: by numbers unless it says otherwise. */
  readonly order: { readonly column: string; readonly descending: boolean; readonly isText?: boolean }
  /** The other query parameters, which every link repeats. */
  readonly query: Readonly<Record<string, unknown>>
}

/**
 * The pages of a list that grows while it is read, by offset or by cursor. `part` is what `sliceInOrder` reads: one row
 * more than the page, which shows whether the list goes on. `envelope` then drops it.
 */
export class CursorPages {
  readonly part: Part
  readonly #facts: ListFacts
  readonly #page: Page

  constructor(ctx: WorkspaceReadContext<'cursor_mismatch'>, page: Page, facts: ListFacts) {
    this.#facts = facts
    this.#page = page
    this.part = { offset: page.offset, rows: page.limit + 1, beyond: positionIn(ctx, page, facts) }
  }

  /** The rows of the page in the order of the list, with `meta` and `links`. */
  envelope<Row>(found: readonly Row[], total: number, positionOf: (row: Row) => Position) {
    const { offset, limit } = this.#page
    const direction = this.part.beyond?.direction
    const hasMore = found.length > limit
    const kept = found.slice(0, limit)
    const rows = direction === 'before' ? kept.toReversed() : kept
    const [first, last] = [rows[0], rows.at(-1)]
    const isBehind = direction === 'before' ? hasMore : direction === 'after' || offset > 0
    const goesOn = direction === 'before' || hasMore
    const cursorOf = (row: Row) => encode(hashOf(this.#facts), positionOf(row))
    const { meta, links } = pageEnvelope({
      url: this.#facts.url,
      query: this.#facts.query,
      offset: direction === 'before' && !hasMore ? 0 : offset,
      limit,
      shown: rows.length,
      total,
      after: goesOn && last !== undefined ? cursorOf(last) : undefined,
      before: isBehind && first !== undefined ? cursorOf(first) : undefined,
    })
    return { rows, links, meta: { ...meta, total_records: total, total_pages: Math.ceil(total / limit) } }
  }
}

const hashOf = ({ url, order: { column, descending }, query: { sortOrder: _same, ...query } }: ListFacts): string =>
  createHash('sha256')
    .update(JSON.stringify([new URL(url).pathname, column, descending, query]))
    .digest('base64url')
    .slice(0, 12)

const encode = (hash: string, { value, id }: Position): string =>
  Buffer.from(JSON.stringify([hash, value, id])).toString('base64url')

function positionIn(
  ctx: WorkspaceReadContext<'cursor_mismatch'>,
  { after, before }: Page,
  facts: ListFacts,
): Part['beyond'] {
  if (after !== undefined && before !== undefined)
    throw ctx.fail('invalid_parameter', {
      detail: 'Send either page[after] or page[before], not both.',
      source: { parameter: 'page[before]' },
    })
  const cursor = after ?? before
  if (cursor === undefined) return undefined
  const direction = after === undefined ? 'before' : 'after'
  const position = decode(cursor, facts)
  if (position !== undefined) return { ...position, direction }
  throw ctx.fail('cursor_mismatch', {
    detail: 'This cursor belongs to another list, sort order or filter, or is damaged.',
    source: { parameter: `page[${direction}]` },
  })
}

/** A position that this list has given out; undefined for any other text. */
function decode(cursor: string, facts: ListFacts): Position | undefined {
  const [hash, value, id, ...rest] = parts(cursor)
  if (hash !== hashOf(facts) || rest.length > 0 || typeof id !== 'string' || !isId(id)) return undefined
  return isValueOf(facts.order, value) ? { value, id } : undefined
}

/** Returns whether a value is one that rows are sorted by: anything else would be an error of the database. */
function isValueOf({ column, isText = false }: ListFacts['order'], value: unknown): value is Position['value'] {
  if (value === null || column === 'id') return typeof value === 'string' ? isId(value) : value === null
  if (isText) return typeof value === 'string' && !value.includes('\0')
  return typeof value === 'number' && Number.isSafeInteger(value)
}

function parts(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}

import { failure } from '../kernel/errors.ts'
import { isList, isString } from '../lib/guards.ts'
import { fittingLines } from '../markdown/index.ts'

/** A page of an operation, by cursor or, in short lists, by offset. */
type PagePlace = { readonly after: string } | { readonly offset: number }

/** Where a response goes on: the page of an operation, and the lines of it that have been shown. */
export type Position = { readonly page: PagePlace | undefined; readonly shown: number }

/** Reads a cursor that a response of a tool ended with. */
export function readCursor(cursor: string | undefined): Position {
  if (cursor === undefined) return { page: undefined, shown: 0 }
  const read = parsed(Buffer.from(cursor, 'base64url').toString())
  if (!isList(read) || !Number.isSafeInteger(read[1]))
    throw failure('invalid_parameter', 'Must be the cursor at the end of a response, unchanged.', {
      source: { pointer: '/cursor' },
    })
  const [place, shown] = read
  return { page: isString(place) ? { after: place } : offsetPlace(place), shown: Number(shown) }
}

const offsetPlace = (place: unknown): PagePlace | undefined =>
  typeof place === 'number' ? { offset: place } : undefined

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function writeCursor({ page, shown }: Position): string {
  const place = page === undefined ? null : 'after' in page ? page.after : page.offset
  return Buffer.from(JSON.stringify([place, shown])).toString('base64url')
}

/** One page of lines for a model, and how to get the next. */
type Portion = { readonly lines: readonly string[]; readonly more: string }

/** Returns the lines that fit into the budget of a response. `next` is the link to the next page of the operation. */
export function portionOf(
  lines: readonly string[],
  { page, shown }: Position,
  next: string | null | undefined,
  tokensMax: number,
): Portion {
  const left = lines.slice(shown)
  const fitting = fittingLines(left, tokensMax)
  if (fitting < left.length) return { lines: left.slice(0, fitting), more: goOn({ page, shown: shown + fitting }) }
  const following = next == null ? undefined : placeIn(next)
  return { lines: left, more: following === undefined ? '' : goOn({ page: following, shown: 0 }) }
}

/** Splits a text into lines of at most 1,000 characters, so that a part of a long one can be a response. */
export const linesOf = (text: string): string[] => text.split('\n').flatMap((line) => line.match(/.{1,1000}/gu) ?? [''])

const goOn = (position: Position): string =>
  `\n\nMore: call again with the same arguments and "cursor": "${writeCursor(position)}"`

/** The page that a link leads to. */
function placeIn(next: string): PagePlace | undefined {
  const { searchParams } = new URL(next)
  const [after, offset] = [searchParams.get('page[after]'), searchParams.get('page[offset]')]
  if (after !== null) return { after }
  return offset === null ? undefined : { offset: Number(offset) }
}

import { failure } from '../kernel/errors.ts'
import { isList, isString } from '../lib/guards.ts'
import { fittingLines } from '../markdown/index.ts'

/** Where a response goes on: the page of an operation, and the items of it that have been shown. */
type Position = { readonly after: string | undefined; readonly shown: number }

/** Reads a cursor that a response of a tool ended with. */
export function readCursor(cursor: string | undefined): Position {
  if (cursor === undefined) return { after: undefined, shown: 0 }
  const read = parsed(Buffer.from(cursor, 'base64url').toString())
  if (!isList(read)) throw failure('invalid_parameter', '`cursor` must be the one at the end of a response, unchanged.')
  const [after, shown] = read
  return { after: isString(after) ? after : undefined, shown: Number.isSafeInteger(shown) ? Number(shown) : 0 }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const writeCursor = ({ after, shown }: Position): string =>
  Buffer.from(JSON.stringify([after ?? null, shown])).toString('base64url')

/** One page of lines for a model, and how to get the next. */
type Portion = { readonly lines: readonly string[]; readonly more: string }

/**
 * Returns the lines that fit into the budget of a response. `next` is the cursor of the operation for its next page.
 */
export function portionOf(
  lines: readonly string[],
  position: Position,
  next: string | null | undefined,
  tokensMax: number,
): Portion {
  const left = lines.slice(position.shown)
  const fitting = fittingLines(left, tokensMax)
  const shown = left.slice(0, fitting)
  if (fitting < left.length)
    return { lines: shown, more: goOn({ after: position.after, shown: position.shown + fitting }) }
  const after = afterOf(next)
  return { lines: shown, more: after === undefined ? '' : goOn({ after, shown: 0 }) }
}

const goOn = (position: Position): string =>
  `\n\nMore: call again with the same arguments and "cursor": "${writeCursor(position)}"`

/** The cursor in the link to a next page. */
const afterOf = (next: string | null | undefined): string | undefined =>
  next == null ? undefined : (new URL(next).searchParams.get('page[after]') ?? undefined)

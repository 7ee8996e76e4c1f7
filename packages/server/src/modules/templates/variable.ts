import { parsedJson, isString } from '../../lib/guards.ts'
import { filterFault, type VariableFilter } from './variable-filters.ts'
import { pathMax, segmentsMax, segmentsOf } from './path.ts'

/** A variable as its author wrote it: `{{path | filter:argument}}`. */
export type Variable = {
  readonly source: string
  readonly path: string
  readonly names: readonly string[]
  readonly filters: readonly VariableFilter[]
}

/** Text that begins like a variable and is none. */
export type Malformed = { readonly source: string; readonly fault: string }

/** A part of a text. */
export type Piece = { readonly text: string } | Variable | Malformed

/** The most filters of one variable. */
const filtersMax = 8

const beginning =
  /\{\{\s*((?:[^{}\s|.["]|\[(?!"))+(?:\.(?:[^{}\s|.["]|\[(?!"))+|\["(?:[^"\\]|\\.)*"\](?:\[\d+\])*)*)\s*/sy
const filter = /\|\s*([\w-]+)\s*(?::\s*("(?:[^"\\]|\\.)*"|[\w.+-]+)\s*)?/sy

/** Characters of a malformed variable that its fault repeats. */
const quotedMax = 60

/**
 * Takes a text apart, from its beginning to its end, once: into variables, what only begins like one, and text. `\{{`
 * is two braces; a backslash before that belongs to the text, as it does in JSON.
 */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let [from, at] = [0, text.indexOf('{{')]
  const add = (until: number, piece: Piece, end: number) => {
    if (until > from) pieces.push({ text: text.slice(from, until) })
    pieces.push(piece)
    from = end
  }
  while (at !== -1) {
    // The last two of several braces begin a variable.
    if (text[at - 1] === '\\' && text[at - 2] !== '\\') add(at - 1, { text: '{{' }, at + 2)
    else if (text[at + 2] === '{') {
      at += 1
      continue
    } else {
      const piece = pieceAt(text, at)
      add(at, piece, at + piece.source.length)
    }
    at = text.indexOf('{{', from)
  }
  if (from < text.length) pieces.push({ text: text.slice(from) })
  return pieces
}

/** Matches a sticky pattern at a place. */
function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function pieceAt(text: string, start: number): Variable | Malformed {
  const begun = matchAt(beginning, text, start)
  if (begun === null) return malformed(text, start, 'has no path that can be read')
  const [all, path = ''] = begun
  let end = start + all.length
  const filters: VariableFilter[] = []
  for (let next = matchAt(filter, text, end); next !== null; next = matchAt(filter, text, end)) {
    const [whole, name = '', argument] = next
    filters.push({ name, argument: argument === undefined ? undefined : parsedJson(argument) })
    const fault = argument !== undefined && filters.at(-1)?.argument === undefined
    if (fault)
      return malformed(text, start, `has an argument that is neither a number nor in double quotes: ${argument}`)
    end += whole.length
  }
  if (!text.startsWith('}}', end)) return malformed(text, start, 'does not end in }} after its path and filters')
  const variable = { source: text.slice(start, end + 2), path, filters }
  const names = segmentsOf(path)
  if (names === undefined) return malformed(text, start, 'has no path that can be read')
  const excess = excessOf({ ...variable, names })
  return excess === undefined ? { ...variable, names } : malformed(text, start, excess)
}

function excessOf({ path, names, filters }: Variable): string | undefined {
  if (path.length > pathMax) return `has a path of more than ${pathMax} characters`
  if (names.length > segmentsMax) return `has a path of more than ${segmentsMax} names`
  if (filters.length > filtersMax) return `has more than ${filtersMax} filters`
  return filters.map(filterFault).find((fault) => fault !== undefined)
}

const spellings = 'Write {{path}}, {{path["Any name"]}}, {{path | default:"text"}}, or \\{{ for two braces.'

/** Only its braces are passed over, so that each variable in what follows is found too. */
function malformed(text: string, start: number, why: string): Malformed {
  const end = text.slice(start, start + quotedMax).indexOf('}}')
  const shown = end === -1 ? `${text.slice(start, start + quotedMax / 2)}…` : text.slice(start, start + end + 2)
  return { source: '{{', fault: `"${shown}" ${why}. ${spellings}` }
}

export const isVariable = (piece: Piece): piece is Variable => 'path' in piece

/** The variable of a text that is nothing else, but for white space around it. */
export function soleOf(pieces: readonly Piece[]): Variable | undefined {
  const [sole, ...others] = pieces.filter((piece) => !('text' in piece && piece.text.trim() === ''))
  return sole !== undefined && isVariable(sole) && others.length === 0 ? sole : undefined
}

/** The variable of a value that is a text of nothing else, which keeps the type of what it stands for. */
export const soleVariable = (value: unknown): Variable | undefined =>
  isString(value) && value.includes('{{') ? soleOf(piecesOf(value)) : undefined

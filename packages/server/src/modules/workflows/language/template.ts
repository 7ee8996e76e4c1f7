import { isList, isRecord, isString } from '../../../lib/guards.ts'
import { parsedJson } from '../../../lib/json.ts'
import { lookUp, type RunScope } from './path.ts'
import { textOf, writers, type Syntax } from './syntax.ts'

/**
 * A variable, `{{path}}` or `{{path | default:"there"}}`, or `\{{`, which stands for `{{`. A backslash before that
 * belongs to the text, as it does in JSON.
 */
const pieces =
  /(?<!\\)\\\{\{|\{\{\s*([^{}\s|]+)\s*(?:\|\s*default\s*:\s*("(?:[^"\\]|\\.)*"|[\w.+-]+)\s*|(\|[^{}]*))?\}\}/g

/** `fallback` takes the place of a value that is missing. */
type Named = { readonly path: string; readonly fallback: unknown }

/** What a text consists of. */
type Piece = { readonly text: string } | Named

/** A text in pieces; without variables it is one. */
function piecesOf(text: string): Piece[] {
  const found: Piece[] = []
  let at = 0
  for (const match of text.matchAll(pieces)) {
    const { 0: all, 1: path, 2: fallback, 3: unknown, index } = match
    if (index > at) found.push({ text: text.slice(at, index) })
    at = index + all.length
    if (path === undefined) found.push({ text: '{{' })
    else found.push(variableOf({ all, path, fallback, isKnown: unknown === undefined }))
  }
  if (at < text.length) found.push({ text: text.slice(at) })
  return found
}

/** One with a filter that there is not, or a default that is no JSON, has itself as its path: it leads nowhere. */
function variableOf({ all, path, fallback, isKnown }: Found): Named {
  if (fallback === undefined) return { path: isKnown ? path : all, fallback: null }
  const value = parsedJson(fallback)
  return value === undefined ? { path: all, fallback: null } : { path, fallback: value }
}

type Found = {
  readonly all: string
  readonly path: string
  readonly fallback: string | undefined
  readonly isKnown: boolean
}

/** The variable of a text that is nothing else, but for white space around it. */
function soleOf(found: readonly Piece[]): Named | undefined {
  const [sole, ...others] = found.filter((piece) => !('text' in piece && piece.text.trim() === ''))
  return sole !== undefined && 'path' in sole && others.length === 0 ? sole : undefined
}

/** The path of a text that is one variable, whose value keeps its type. */
export const soleVariable = (text: string): string | undefined => soleOf(piecesOf(text))?.path

/** A variable in an input, and the path of the text that holds it. */
export type Variable = { readonly path: string; readonly at: readonly (string | number)[] }

/** Every variable in the texts of a value. */
export function variablesIn(value: unknown, at: readonly (string | number)[] = []): Variable[] {
  if (isString(value)) return piecesOf(value).flatMap((piece) => ('path' in piece ? [{ path: piece.path, at }] : []))
  if (isList(value)) return value.flatMap((item, index) => variablesIn(item, [...at, index]))
  return isRecord(value) ? Object.entries(value).flatMap(([name, item]) => variablesIn(item, [...at, name])) : []
}

/** A value whose variables have other paths; all else in its texts stays as it is written. */
export function withPaths(value: unknown, pathNow: (path: string) => string): unknown {
  if (isString(value))
    return value.replace(pieces, (all: string, path: string | undefined) =>
      path === undefined ? all : all.replace(path, () => pathNow(path)),
    )
  if (isList(value)) return value.map((item) => withPaths(item, pathNow))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withPaths(item, pathNow)]))
}

/** What variables fill in is larger than a step may take. */
export class FilledTooMuch extends Error {
  override readonly name = 'FilledTooMuch'
}

/** How many characters variables may still fill in: a few names of large values make a text of any size. */
type Budget = { left: number }

/**
 * Fills in the variables of a value. A text that is one variable becomes its value, whatever type that has; in a longer
 * text, null is empty and what is no text is JSON. Throws `FilledTooMuch` beyond the budget.
 */
export function fill(value: unknown, scope: RunScope, budget: Budget = { left: Infinity }): unknown {
  if (isString(value)) return fillText(value, scope, budget, 'text')
  if (isList(value)) return value.map((item) => fill(item, scope, budget))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item, scope, budget)]))
}

/** Fills in the input of a node as its plugin takes it: some members as they are, some texts as what they are. */
export function fillInput(
  input: Readonly<Record<string, unknown>>,
  scope: RunScope,
  { verbatim = [], syntaxes = {}, charactersMax }: Filling,
): Record<string, unknown> {
  const budget = { left: charactersMax }
  const filled = (name: string, item: unknown): unknown => {
    if (verbatim.includes(name)) return item
    return isString(item) ? fillText(item, scope, budget, syntaxes[name] ?? 'text') : fill(item, scope, budget)
  }
  return Object.fromEntries(Object.entries(input).map(([name, item]) => [name, filled(name, item)]))
}

type Filling = {
  readonly verbatim?: readonly string[] | undefined
  readonly syntaxes?: Syntaxes | undefined
  readonly charactersMax: number
}

/** The syntax of members of an input that are texts, by their names; plain text where it is not said. */
export type Syntaxes = Readonly<Record<string, Syntax>>

function fillText(text: string, scope: RunScope, budget: Budget, syntax: Syntax): unknown {
  const found = piecesOf(text)
  const sole = soleOf(found)
  if (sole !== undefined) {
    const value = valueOf(sole, scope)
    spend(budget, textOf(value))
    return value
  }
  const writer = writers[syntax]()
  return found
    .map((piece) => {
      if ('path' in piece) return spend(budget, writer.write(valueOf(piece, scope)))
      writer.pass(piece.text)
      return piece.text
    })
    .join('')
}

/** What a variable stands for; its default where that is missing, null or empty. */
function valueOf({ path, fallback }: Named, scope: RunScope): unknown {
  const value = lookUp(scope, path)
  return value === null || value === '' ? (fallback ?? value) : value
}

function spend(budget: Budget, text: string): string {
  budget.left -= text.length
  if (budget.left < 0) throw new FilledTooMuch()
  return text
}

/** Tells whether a text is an object or a list of JSON, once its variables are filled in. */
export function isJsonTemplate(text: string): boolean {
  const empty = fillText(text, {}, { left: Infinity }, 'json')
  return isString(empty) && typeof (parsedJson(empty) ?? undefined) === 'object'
}

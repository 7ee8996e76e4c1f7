import { parsedJson, isList, isRecord, isString } from '../../lib/guards.ts'
import { found, type RunScope } from './path.ts'
import { textOf } from './syntax.ts'
import { filtered, isLocal, TemplateFault, numeralOf, type VariableReading } from './variable-filters.ts'
import { plainLink } from './url-writer.ts'
import { isVariable, piecesOf, soleOf, soleVariable, type Malformed, type Variable } from './variable.ts'
import { writers, type Syntax } from './writers.ts'
import { partsOf } from './values.ts'

type Path = readonly (string | number)[]

/** Something in an input, and the path of the text that holds it. */
type Placed<What> = What & { readonly at: Path }

/** A variable in an input; `isSole` if its text is nothing else. */
type PlacedVariable = Placed<Variable> & { readonly isSole: boolean }

/** Every variable in the texts of a value, and what only begins like one. */
export function templatesIn(
  value: unknown,
  at: Path = [],
): { readonly variables: PlacedVariable[]; readonly malformed: Placed<Malformed>[] } {
  const [variables, malformed]: [PlacedVariable[], Placed<Malformed>[]] = [[], []]
  eachText(value, at, (text, place) => {
    const pieces = text.includes('{{') ? piecesOf(text) : []
    const sole = soleOf(pieces)
    for (const piece of pieces)
      if (isVariable(piece)) variables.push({ ...piece, at: place, isSole: piece === sole })
      else if ('fault' in piece) malformed.push({ ...piece, at: place })
  })
  return { variables, malformed }
}

export const variablesIn = (value: unknown): PlacedVariable[] => templatesIn(value).variables

function eachText(value: unknown, at: Path, look: (text: string, at: Path) => void): void {
  if (isString(value)) look(value, at)
  else if (isList(value)) value.forEach((item, index) => eachText(item, [...at, index], look))
  else if (isRecord(value)) for (const [name, item] of Object.entries(value)) eachText(item, [...at, name], look)
}

/** Returns whether a value has a variable that is written by the clocks of the workspace. */
export const needsZone = (value: unknown): boolean => variablesIn(value).some(({ filters }) => isLocal(filters))

/** A value whose variables have other paths; all else in its texts stays as it is written. */
export function withPaths(value: unknown, pathNow: (variable: Variable) => string): unknown {
  if (isString(value)) return value.includes('{{') ? textWithPaths(value, pathNow) : value
  if (isList(value)) return value.map((item) => withPaths(item, pathNow))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withPaths(item, pathNow)]))
}

function textWithPaths(text: string, pathNow: (variable: Variable) => string): string {
  let [written, at] = ['', 0]
  for (const piece of piecesOf(text)) {
    if (!isVariable(piece)) continue
    const start = text.indexOf(piece.source, at)
    const end = start + piece.source.length
    written += text.slice(at, start) + piece.source.replace(piece.path, () => pathNow(piece))
    at = end
  }
  return written + text.slice(at)
}

/** Thrown if the values of variables are larger than a step may take. */
export class FilledTooMuch extends Error {
  override readonly name = 'FilledTooMuch'
}

/** The number of characters that may still be filled in: a few names of large values make a text of any size. */
export type FillBudget = { left: number }

/** The settings by which variables are filled in. */
type Filler = {
  readonly scope: RunScope
  /** The time zone of the workspace, for what is written by its clocks. */
  readonly zone: string
  readonly budget: FillBudget
  /** The JSON types that a place accepts; undefined where any. */
  readonly accepted: (at: Path) => Accepted | undefined
}

/** Fills in the variables of a text by itself, such as the value of a condition; throws `FilledTooMuch`. */
export const fillText = (text: string, scope: RunScope, zone: string, budget: FillBudget): unknown =>
  filledText({ scope, zone, budget, accepted: () => undefined }, { text, syntax: 'text', at: [] })

/** The syntax of members of an input, by their names; plain text where it is not said. */
export type Syntaxes = Readonly<Record<string, Syntax | 'rich_text'>>

type Filling = {
  readonly verbatim?: readonly string[] | undefined
  /** Members in which a missing value leaves its member out, so that nothing is written over. */
  readonly sparse?: readonly string[] | undefined
  readonly syntaxes?: Syntaxes | undefined
  readonly charactersMax: number
  readonly zone?: string
  readonly accepted?: Filler['accepted'] | undefined
}

/** Fills in the input of a node as its plugin takes it: some members as they are, some texts as what they are. */
export function fillInput(
  input: Readonly<Record<string, unknown>>,
  scope: RunScope,
  { verbatim = [], sparse = [], syntaxes = {}, charactersMax, zone = 'utc', accepted = () => undefined }: Filling,
): Record<string, unknown> {
  const filler = { scope, zone, budget: { left: charactersMax }, accepted }
  const filledMember = (name: string, item: unknown): unknown => {
    if (verbatim.includes(name)) return item
    if (sparse.includes(name) && isRecord(item)) return filledSparsely(filler, item, [name]) ?? {}
    return filled(filler, item, { at: [name], syntax: syntaxes[name] ?? 'text' })
  }
  return Object.fromEntries(Object.entries(input).map(([name, item]) => [name, filledMember(name, item)]))
}

type Place = { readonly at: Path; readonly syntax: Syntax | 'rich_text' }

/** Returns the syntax of a member: plain below text and HTML, a URL for links in rich text. */
const syntaxBelow = (syntax: Place['syntax'], name: string): Place['syntax'] =>
  syntax === 'rich_text' ? (name === 'href' ? 'link' : 'rich_text') : 'text'

function filled(filler: Filler, value: unknown, { at, syntax }: Place): unknown {
  if (isString(value)) return filledText(filler, { text: value, syntax: syntax === 'rich_text' ? 'text' : syntax, at })
  const below = (name: string | number, item: unknown): unknown =>
    filled(filler, item, { at: [...at, name], syntax: isString(name) ? syntaxBelow(syntax, name) : syntax })
  if (isList(value)) return value.map((item, index) => below(index, item))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, below(name, item)]))
}

/** Fills in a value and leaves out what is missing in it; undefined where nothing of it is left. */
function filledSparsely(filler: Filler, value: unknown, at: Path): unknown {
  const sole = soleVariable(value)
  if (sole !== undefined) {
    const { value: read, isMissing } = readingOf(sole, filler)
    return isMissing ? undefined : spent(filler, read)
  }
  if (isString(value)) return filledText(filler, { text: value, syntax: 'text', at })
  if (isList(value)) {
    const items = value.map((item, index) => filledSparsely(filler, item, [...at, index]))
    if (value.length > 0 && items.every((item) => item === undefined)) return undefined
    return items.filter(
      (item, index) => item !== undefined && (item !== null || soleVariable(value[index]) === undefined),
    )
  }
  if (!isRecord(value)) return value
  const members = Object.entries(value).map(
    ([name, item]) => [name, filledSparsely(filler, item, [...at, name])] as const,
  )
  const left = members.filter(([, item]) => item !== undefined)
  return left.length === 0 && members.length > 0 ? undefined : Object.fromEntries(left)
}

type Text = { readonly text: string; readonly syntax: Syntax; readonly at: Path }

/**
 * Fills in a text. One that is one variable becomes its value, whatever type that has, unless only another fits there;
 * in a longer text, null is empty and what is no text is JSON. In HTML a value is text, even where it is all of it.
 */
function filledText(filler: Filler, { text, syntax, at }: Text): unknown {
  if (!text.includes('{{')) return text
  const pieces = piecesOf(text)
  const sole = soleOf(pieces)
  if (sole !== undefined && syntax !== 'html') {
    const value = spent(filler, readingOf(sole, filler).value)
    return fitted(syntax === 'link' && isString(value) ? plainLink(value) : value, filler.accepted(at))
  }
  const writer = writers[syntax]()
  for (const piece of pieces) {
    if (isVariable(piece)) spentText(filler, writer.write(readingOf(piece, filler).value))
    else if ('fault' in piece) throw new TemplateFault(piece.fault)
    else writer.pass(piece.text)
  }
  return writer.end()
}

/** Reads the value of a variable. Throws `TemplateFault` if one of its filters does not accept it. */
export function readingOf(variable: Variable, { scope, zone }: Pick<Filler, 'scope' | 'zone'>): VariableReading {
  const value = found(scope, variable.names)
  try {
    return filtered({ value: value ?? null, isMissing: value === undefined }, variable.filters, zone)
  } catch (error) {
    throw error instanceof TemplateFault ? new TemplateFault(`${variable.source}: ${error.message}.`) : error
  }
}

function spent(filler: Filler, value: unknown): unknown {
  spentText(filler, textOf(value))
  return value
}

function spentText({ budget }: Filler, text: string): string {
  budget.left -= text.length
  if (budget.left < 0) throw new FilledTooMuch()
  return text
}

/** Tells whether a text is an object or a list of JSON, once its variables are filled in. */
export function isJsonTemplate(text: string): boolean {
  const writer = writers.json()
  const pieces = piecesOf(text)
  if (soleOf(pieces) !== undefined) return false
  for (const piece of pieces) {
    if (isVariable(piece)) writer.write(null)
    else writer.pass('text' in piece ? piece.text : piece.source)
  }
  return typeof (parsedJson(writer.end()) ?? undefined) === 'object'
}

/** JSON types that a place accepts, `null` among them. */
type Accepted = ReadonlySet<string>

/**
 * The value of a variable that stands alone, as its place accepts it: text where only text fits, the number that a text
 * spells exactly where only numbers fit, and a list of one where only lists fit.
 */
function fitted(value: unknown, accepted: Accepted | undefined): unknown {
  if (accepted === undefined || (value === null && accepted.has('null'))) return value
  const types = [...accepted].filter((type) => type !== 'null')
  // A record is named by its id, or by an object with a unique value: a number can only be meant as the text.
  if (types.length === 2 && accepted.has('string') && accepted.has('object'))
    return isPlain(value) ? String(value) : value
  const [only, ...others] = types
  if (others.length > 0 || only === undefined) return value
  if (only === 'string') return textOf(value)
  if (only === 'number') return isString(value) ? (numeralOf(value) ?? value) : value
  if (only === 'array') return isList(value) || value === null ? value : listOf(value)
  return value
}

const isPlain = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean'

/** A value as a list: its items if it is a collection, else itself alone. */
const listOf = (value: unknown): readonly unknown[] =>
  isRecord(value) && !isList(value['items']) ? [value] : partsOf(value)

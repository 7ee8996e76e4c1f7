import { splitItems } from '../csv-cells.ts'
import { isExactNumeral, readJson } from '../exact-json.ts'
import type { FieldSchema, FieldTypeName } from '../field-schema.ts'
import { CellFault } from './cell-fault.ts'
import { isoDate, plainNumeral, type Notation } from './notation.ts'

/** A text for a field, or for one part of it. */
export type CellText = { readonly part: string | undefined; readonly text: string }

/** The conversion of texts to the value of a field, in the form that the API takes. */
export type Writer = {
  /** Names that may follow the dot of a mapping. */
  readonly parts?: readonly string[] | 'any'
  /** True if several columns may go to the field as a whole. */
  readonly several?: true
  readonly write: (given: readonly CellText[], notation: Notation) => unknown
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns whether a value is empty; cells of separators alone hold no items. */
export const isNothing = (value: unknown): boolean =>
  value === null || (isObject(value) && Array.isArray(value['items']) && value['items'].length === 0)

/** The JSON that a cell holds; undefined where it is any other text. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const scalar = (read: (text: string, notation: Notation) => unknown): Writer => ({
  write: ([given], notation) => read(given?.text ?? '', notation),
})

/** As it stands: the server knows in which texts white space at the ends means something. */
const text = scalar((value) => value)

const trimmed = scalar((value) => value.trim())

const option = (options: readonly unknown[] = []): Writer =>
  scalar((value) => (options.includes(value) ? value : value.trim()))

const date = scalar((value, notation) => isoDate(value.trim(), notation))

/** A date alone is its beginning; a time without a zone is one of the workspace's. */
const timestamp = scalar((value, notation) => {
  const iso = isoDate(value.trim(), notation)
  return /^\d{4}-\d{2}-\d{2}$/.test(iso) ? `${iso}T00:00:00` : iso
})

const number = scalar((value, notation) => {
  const numeral = plainNumeral(value.trim(), notation)
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(numeral))
    throw new CellFault(`"${value}" is not a number; write digits, with a point before decimals.`)
  return isExactNumeral(numeral) ? Number(numeral) : tooExact(numeral)
})

function tooExact(numeral: string): never {
  throw new CellFault(`${numeral.slice(0, 100)} cannot be stored exactly; write fewer digits.`)
}

const yes = new Set(['true', 'yes', 'y', '1', 'x'])
const no = new Set(['false', 'no', 'n', '0'])

const checkbox = scalar((value) => {
  const word = value.trim().toLowerCase()
  if (!yes.has(word) && !no.has(word))
    throw new CellFault(`"${value}" is neither true nor false; write true, false, yes, no, 1 or 0.`)
  return yes.has(word)
})

function itemsIn(cell: string, separator: string): string[] {
  const items = splitItems(cell, separator)
  if (items !== undefined) return items
  throw new CellFault(
    'An item that begins with a quote must end with one, before the separator. Double each quote inside it.',
  )
}

const items: Writer = {
  several: true,
  write: (given, { separator }) => ({ items: given.flatMap((one) => itemsIn(one.text, separator)) }),
}

/** Items as JSON, an array or as the API answers, or addresses. */
const participants: Writer = {
  several: true,
  write: (given, { separator }) => ({
    items: given.flatMap(({ text: cell }): readonly unknown[] => {
      const json = jsonIn(cell)
      const listed = isObject(json) ? json['items'] : json
      return Array.isArray(listed) ? listed : itemsIn(cell, separator)
    }),
  }),
}

/** Only with `--clear-empty` a text of nothing comes here. */
const members = (given: readonly CellText[]): Record<string, string | null> =>
  Object.fromEntries(given.map(({ part = '', text: value }) => [part, value.trim() || null]))

const personName: Writer = {
  parts: ['first_name', 'last_name', 'full_name'],
  write: (given) => members(given.map((one) => ({ ...one, part: one.part ?? 'full_name' }))),
}

/** An object as JSON, a text as it stands or as JSON. */
const location: Writer = {
  parts: 'any',
  write(given) {
    const [first] = given
    if (first === undefined || first.part !== undefined) return members(given)
    const json = jsonIn(first.text)
    if (typeof json === 'string') return json
    return isObject(json) ? exactJson(first.text) : first.text.trim()
  },
}

const exactJson = (cell: string): unknown => readJson(cell, tooExact)

/** JSON; where a field takes texts among others, what is no JSON is one. */
const jsonValue = (takesText: boolean): Writer => ({
  parts: 'any',
  write(given) {
    const [first] = given
    if (first === undefined || first.part !== undefined) return members(given)
    try {
      return exactJson(first.text)
    } catch (error) {
      if (error instanceof CellFault) throw error
      if (takesText) return first.text
      throw new CellFault('The cell is not valid JSON.')
    }
  },
})

/** The id of a record, or a unique value of it, whose field is the part. */
const reference: Writer = {
  parts: 'any',
  write: ([given = { part: undefined, text: '' }]) =>
    given.part === undefined ? given.text.trim() : { match: { [given.part]: given.text.trim() } },
}

/** Blocks as JSON, as the API answers them, or a paragraph for each line. */
const richText = scalar((value) => {
  const json = jsonIn(value)
  if (isObject(json) && Array.isArray(json['text']) && Object.keys(json).length === 1) return exactJson(value)
  const lines = value.trim().split(/\r\n|\n|\r/)
  return { text: lines.map((line) => ({ type: 'paragraph', content: [{ type: 'text', text: line }] })) }
})

const writers: Readonly<Record<Exclude<FieldTypeName, 'select'>, Writer>> = {
  text,
  long_text: text,
  rich_text: richText,
  number,
  currency: number,
  rating: number,
  checkbox,
  date,
  timestamp,
  multi_select: items,
  email_addresses: items,
  phone_numbers: items,
  domains: items,
  url: trimmed,
  location,
  person_name: personName,
  labels: items,
  participants,
  reference,
  user_reference: trimmed,
  json: jsonValue(false),
}

/** The writer of a field; plain JSON Schema without a field type goes by its JSON type. */
export function writerOf({ xSvcType, xSvcRelationship, type, enum: options, format }: FieldSchema): Writer {
  if (xSvcType === 'select') return option(options)
  if (xSvcType !== undefined) return writers[xSvcType]
  if (xSvcRelationship !== undefined) return reference
  const types = [type ?? []].flat().filter((name) => name !== 'null')
  const [only = 'string', ...others] = types
  if (others.length > 0) return jsonValue(types.includes('string'))
  if (only === 'string' && options?.every((one) => typeof one === 'string')) return option(options)
  if (types.length === 0) return jsonValue(true)
  if (only === 'string') return format === undefined ? text : trimmed
  if (only === 'boolean') return checkbox
  return only === 'object' || only === 'array' ? jsonValue(false) : number
}

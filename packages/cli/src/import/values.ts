import { isExactNumeral, readJson, type FieldSchema, type FieldTypeName } from '@kontor/contract'

/** A cell that cannot become a value; the message is the reason in the file of rejected rows. */
export class CellFault extends Error {
  override readonly name = 'CellFault'
}

/** A text for a field, or for one part of it. */
export type Given = { readonly part: string | undefined; readonly text: string }

/** How texts become the value of a field, in the form that the API takes. */
export type Writer = {
  /** Names that may follow the dot of a mapping. */
  readonly parts?: readonly string[] | 'any'
  /** Whether several columns may go to the field as a whole. */
  readonly several?: true
  readonly write: (given: readonly Given[], separator: string) => unknown
}

const scalar = (read: (text: string) => unknown): Writer => ({ write: ([given]) => read(given?.text ?? '') })

const text = scalar((value) => value)

const number = scalar((value) => {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value))
    throw new CellFault(`"${value}" is not a number; write digits, with a point before decimals.`)
  return isExactNumeral(value) ? Number(value) : refuseInexact(value)
})

/** It would be another number when it has been sent. */
function refuseInexact(numeral: string): never {
  throw new CellFault(`${numeral.slice(0, 100)} has more digits than can be kept exactly.`)
}

const yes = new Set(['true', 'yes', 'y', '1', 'x'])
const no = new Set(['false', 'no', 'n', '0'])

const checkbox = scalar((value) => {
  const word = value.toLowerCase()
  if (!yes.has(word) && !no.has(word)) throw new CellFault(`"${value}" is neither true nor false.`)
  return yes.has(word)
})

const items: Writer = {
  several: true,
  write: (given, separator) => ({
    items: given
      .flatMap((one) => (separator === '' ? [one.text] : one.text.split(separator)))
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  }),
}

const members = (given: readonly Given[]): Record<string, string> =>
  Object.fromEntries(given.map(({ part = '', text: value }) => [part, value]))

const personName: Writer = {
  parts: ['first_name', 'last_name', 'full_name'],
  write: (given) => members(given.map((one) => ({ ...one, part: one.part ?? 'full_name' }))),
}

const location: Writer = {
  parts: 'any',
  write: (given) => (given[0]?.part === undefined ? given[0]?.text : members(given)),
}

const json: Writer = {
  parts: 'any',
  write: (given) => {
    const [first] = given
    if (first === undefined || first.part !== undefined) return members(given)
    try {
      return readJson(first.text, refuseInexact)
    } catch (error) {
      if (error instanceof CellFault) throw error
      throw new CellFault('This is not valid JSON.')
    }
  },
}

/** A paragraph for each line. */
const richText = scalar((value) => ({
  text: value.split(/\r?\n/).map((line) => ({ type: 'paragraph', content: [{ type: 'text', text: line }] })),
}))

const writers: Readonly<Record<FieldTypeName, Writer>> = {
  text,
  long_text: text,
  rich_text: richText,
  number,
  currency: number,
  rating: number,
  checkbox,
  date: text,
  timestamp: text,
  select: text,
  multi_select: items,
  email_addresses: items,
  phone_numbers: items,
  domains: items,
  url: text,
  location,
  person_name: personName,
  labels: items,
  participants: items,
  reference: text,
  user_reference: text,
  json,
}

/** The writer of a field; plain JSON Schema without a field type goes by its JSON type. */
export function writerOf({ xSvcType, type }: FieldSchema): Writer {
  if (xSvcType !== undefined) return writers[xSvcType]
  const types = [type].flat()
  if (types.includes('number') || types.includes('integer')) return number
  if (types.includes('boolean')) return checkbox
  return types.includes('object') || types.includes('array') ? json : text
}

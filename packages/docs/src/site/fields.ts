import { schemaOf } from './document.ts'
import { nameOf, type Schema } from '../openapi.ts'

/** A value that is sent or answered, as the reference shows it. */
export type Field = {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
  /** Constraints of its values: bounds, a default, the words of a closed set. */
  readonly facts: readonly string[]
  readonly fields: readonly Field[]
}

/** Fields further down are told by the type alone: a page is to be read, and there is the document for the rest. */
const depthMax = 5

/** The named schemas around a place; a schema within itself is told by its type alone. */
type Above = readonly string[]

type Place = { readonly name: string; readonly required: boolean; readonly above?: Above }

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** `null` beside another type is said as a word, so it is no alternative. */
const isNull = (schema: Schema): boolean => schema.type === 'null'

const alternativesOf = (schema: Schema): readonly Schema[] =>
  (schema.anyOf ?? schema.oneOf ?? []).map(schemaOf).filter((one) => !isNull(one))

/** A schema without the words around it: its members put together, and the one alternative that is not null. */
function essence(given: Schema): Schema {
  const { allOf, ...schema } = schemaOf(given)
  const whole = (allOf ?? []).reduce<Schema>((sum, part) => joined(sum, essence(part)), schema)
  const [only, ...others] = alternativesOf(whole)
  if (only === undefined || others.length > 0) return whole
  const { anyOf: _any, oneOf: _one, ...around } = whole
  return { ...essence(only), ...around }
}

const joined = (a: Schema, b: Schema): Schema => ({
  ...b,
  ...a,
  properties: { ...b.properties, ...a.properties },
  required: [...(b.required ?? []), ...(a.required ?? [])],
})

const isNullable = (given: Schema): boolean => {
  const { type, anyOf, oneOf } = schemaOf(given)
  return (Array.isArray(type) && type.includes('null')) || [...(anyOf ?? []), ...(oneOf ?? [])].some(isNull)
}

const formats: Readonly<Record<string, string>> = {
  uuid: 'id',
  'date-time': 'time',
  date: 'date',
  uri: 'URL',
  email: 'e-mail',
}

function typeName(given: Schema): string {
  const schema = essence(given)
  const { type, format } = schema
  const alternatives = alternativesOf(schema)
  if (alternatives.length > 0) return [...new Set(alternatives.map(typeName))].join(' or ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.items !== undefined) return `list of ${typeName(schema.items)}`
  if (format !== undefined && formats[format] !== undefined) return formats[format]
  const names = [type ?? 'any value'].flat().filter((name) => name !== 'null')
  return names.join(' or ')
}

const isSaid = (bound: number | undefined): bound is number =>
  bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER

function bounds(from: number | undefined, to: number | undefined, of: string): string[] {
  if (isSaid(from) && isSaid(to)) return [from === to ? `${from}${of}` : `${from} to ${to}${of}`]
  if (isSaid(to)) return [`at most ${to}${of}`]
  return isSaid(from) && (from > 1 || of === '') ? [`at least ${from}${of}`] : []
}

/** Ids and times look alike everywhere, and long examples hide the next field. */
const isTelling = ({ example }: Schema): boolean =>
  (typeof example === 'string' && example.length < 60 && !/^[0-9a-f]{8}-|^\d{4}-\d\d-\d\dT/.test(example)) ||
  typeof example === 'number'

function factsOf(given: Schema): string[] {
  const schema = essence(given)
  const words = schema.enum ?? (schema.items && essence(schema.items).enum)
  const named = words?.filter((word) => word !== null).map((word) => `\`${text(word)}\``)
  return [
    ...(named === undefined ? [] : [`${named.length === 1 ? 'always' : 'one of'} ${named.join(', ')}`]),
    ...bounds(schema.minimum, schema.maximum, ''),
    ...bounds(schema.minLength, schema.maxLength, ' characters'),
    ...bounds(schema.minItems, schema.maxItems, ' items'),
    ...(schema.default === undefined ? [] : [`by default \`${text(schema.default)}\``]),
    ...(named === undefined && isTelling(schema) ? [`for example \`${text(schema.example)}\``] : []),
  ]
}

/** The members of an object, of the items of a list, or of each alternative that is one. */
export function membersOf(given: Schema, above: Above = []): Field[] {
  const schema = essence(given)
  const { $ref: name = '' } = given
  if (above.length >= depthMax || (name !== '' && above.includes(name))) return []
  const within = [...above, name]
  if (schema.items !== undefined) return membersOf(schema.items, [...above, name])
  const alternatives = (schema.anyOf ?? schema.oneOf ?? []).filter((one) => !isNull(schemaOf(one)))
  if (alternatives.length > 0) return alternativeFields(alternatives, above)
  const named = Object.entries(schema.properties ?? {}).map(([member, inner]) =>
    fieldOf(inner, { name: member, required: schema.required?.includes(member) === true, above: within }),
  )
  const { additionalProperties: open } = schema
  return typeof open === 'object' && Object.keys(open).length > 0
    ? [...named, fieldOf(open, { name: '(any name)', required: false, above: within })]
    : named
}

/** The members of all alternatives, each once: a member that only some have is not required. */
function alternativeFields(alternatives: readonly Schema[], above: Above): Field[] {
  const lists = alternatives.map((one) => membersOf(one, above))
  const byName = Map.groupBy(lists.flat(), ({ name }) => name)
  return [...byName.values()].flatMap((same) => {
    const [first] = same
    if (first === undefined) return []
    const types = [...new Set(same.map(({ type }) => type))]
    const required = same.length === alternatives.length && same.every((one) => one.required)
    return [{ ...first, type: types.join(' or '), required }]
  })
}

/** Schemas that contain themselves, each with the page that describes it. */
const pages: Readonly<Record<string, string>> = {
  Filter: '[filter tree](/docs/guides/filter-tree)',
  RichTextBlock: '[rich text](/docs/guides/comment#rich-text)',
  RichTextBlockInput: '[rich text](/docs/guides/comment#rich-text)',
}

/** The page that describes the values of a field, or their items; undefined if its members are listed here. */
const pageOf = (given: Schema): string | undefined => pages[nameOf(given)] ?? pages[nameOf(given.items ?? {})]

/** A field with all of its members, or with a link to the page that describes them. */
export function fieldOf(given: Schema, { name, required, above = [] }: Place): Field {
  const page = pageOf(given)
  const { description = '' } = essence(given)
  return {
    name,
    type: `${typeName(given)}${isNullable(given) ? ' or null' : ''}`,
    required,
    description: page === undefined ? description : `${description} See ${page}.`.trim(),
    facts: factsOf(given),
    fields: page === undefined ? membersOf(given, above) : [],
  }
}

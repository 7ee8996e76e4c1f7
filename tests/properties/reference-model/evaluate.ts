import type { Json } from '../../harness/http.ts'
import { fieldOf, type Field } from './fields.ts'
import { periodOf } from './periods.ts'
import { isPhone } from './phones.ts'
import { seenOf } from './texts.ts'
import { atEnd, comparedOf, folded, type Compared, type World } from './values.ts'

/** A condition by the names of the table, its value in the form that a program would send. */
export type Leaf = {
  readonly path: readonly string[]
  readonly field: string
  readonly op: string
  readonly value: Json
}
export type Tree = { readonly and: readonly Tree[] } | { readonly or: readonly Tree[] } | { readonly not: Tree } | Leaf

/** Negations hold for everything that what they deny does not hold for, empty values included. */
const denied: Readonly<Record<string, string>> = {
  'Is not': 'Is',
  'Does not contain': 'Contains',
  'Not one of': 'One of',
  'Is not empty': 'Is empty',
  'Is set': 'Is not set',
}

export function holds(world: World, now: number, object: string, attributes: Json, tree: Tree): boolean {
  if ('and' in tree) return tree.and.every((part) => holds(world, now, object, attributes, part))
  if ('or' in tree) return tree.or.some((part) => holds(world, now, object, attributes, part))
  if ('not' in tree) return !holds(world, now, object, attributes, tree.not)
  const positive = denied[tree.op]
  if (positive !== undefined) return !holds(world, now, object, attributes, { ...tree, op: positive })
  const end = atEnd(world, object, attributes, tree.path)
  if (tree.op === 'Is empty' || tree.op === 'Is not set')
    return end === undefined || isEmpty(fieldOf(end.object, tree.field), end.attributes)
  if (end === undefined) return false
  const field = fieldOf(end.object, tree.field)
  const compared = comparedOf(field, end.attributes)
  return compared !== null && matches(now, field, compared, tree.op, tree.value)
}

/** A location may be there and have no text. */
const isEmpty = ({ kind, name }: Field, attributes: Json): boolean =>
  attributes[name] === null || (kind === 'items' && attributes[name].items.length === 0)

function matches(now: number, field: Field, compared: Exclude<Compared, null>, op: string, value: Json): boolean {
  if (op === 'Within') return within(now, field, compared as string | number, value)
  if (field.items === 'phone' && (op === 'Is' || op === 'Contains'))
    return [value].flat().some((one) => (compared as readonly string[]).some((item) => isPhone(item, op, folded(one))))
  // Where an operator takes one value and gets several, any of them will do; they are what `One of` takes anyway.
  return [value]
    .flat()
    .some((one) =>
      field.kind === 'timestamp' && /^\d{4}-\d{2}-\d{2}$/.test(String(one))
        ? isOnDay(Number(compared), op, Date.parse(one))
        : matchesOne(compared, op, operandOf(field, one)),
    )
}

const dayMs = 86_400_000

/** A bare date is a day, here in UTC. */
function isOnDay(at: number, op: string, from: number): boolean {
  if (op === 'Is') return at >= from && at < from + dayMs
  return op === 'Is before' || op === 'Is on or after'
    ? matchesOne(at, op, from)
    : matchesOne(at, op === 'Is after' ? 'Is on or after' : 'Is before', from + dayMs)
}

function matchesOne(compared: Exclude<Compared, null>, op: string, operand: string | number): boolean {
  switch (op) {
    case 'Is':
    case 'One of':
      return Array.isArray(compared) ? compared.includes(String(operand)) : compared === operand
    case 'Contains':
      return typeof compared === 'string'
        ? compared.includes(String(operand))
        : (compared as readonly string[]).some((item) => item.includes(String(operand)))
    case 'Starts with':
      return String(compared).startsWith(String(operand))
    case 'Ends with':
      return String(compared).endsWith(String(operand))
    case 'Greater than':
    case 'Is after':
      return compared > operand
    case 'Greater than or equal':
    case 'Is on or after':
      return compared >= operand
    case 'Less than':
    case 'Is before':
      return compared < operand
    case 'Less than or equal':
    case 'Is on or before':
      return compared <= operand
    default:
      throw new Error(`no operator ${op}`)
  }
}

/** Addresses are compared as they are stored; the few spellings that values are drawn from stand here. */
const canonical = new Map([
  ['max.m@bücher.example', 'max.m@xn--bcher-kva.example'],
  ['Bücher.example', 'xn--bcher-kva.example'],
  ['EXAMPLE.COM.', 'example.com'],
  ['ß6@bücher.example', 'ß6@xn--bcher-kva.example'],
])

function operandOf({ kind, items }: Field, value: Json): string | number {
  if (kind === 'number') return Number(value)
  if (kind === 'flag') return value === true || value === 'true' ? 1 : 0
  if (kind === 'timestamp') return Date.parse(value)
  if (kind === 'items') return items === 'role' ? value : folded(canonical.get(seenOf(value)) ?? seenOf(value))
  return kind === 'text' || kind === 'location' ? folded(String(value)) : value
}

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

function within(now: number, { kind }: Field, compared: string | number, name: string): boolean {
  const { from, until, isSpan } = periodOf(name, now)
  if (kind === 'timestamp')
    return Number(compared) >= from && (isSpan ? Number(compared) <= until : Number(compared) < until)
  return compared >= day(from) && (isSpan ? compared <= day(until) : compared < day(until))
}

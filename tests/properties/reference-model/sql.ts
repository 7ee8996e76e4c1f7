import fc from 'fast-check'
import type { Json } from '../../harness/http.ts'
import { unknownId } from '../../harness/records.ts'
import { objects, type Field } from './fields.ts'
import { datesAround, numbers } from './seed.ts'
import { texts } from './texts.ts'
import { comparedOf, folded, type World } from './values.ts'

// SQL as Postgres reads it, evaluated row by row: joins make rows, conditions are true, false or unknown, and a record
// is in
// the list where any of its rows is true. Only that texts compare folded is ours.

/** A table of a SELECT: reached by a reference of a table before it, or by those that refer to one. */
export type Join = {
  readonly alias: string
  readonly object: string
  readonly from: string
  readonly reference: string
  readonly isBack: boolean
  readonly inner: boolean
}

type Truth = boolean | undefined

type Comparison = {
  readonly alias: string
  readonly field: Field
  readonly sign: string
  readonly values: readonly Json[]
}

export type Condition =
  | { readonly and: readonly Condition[] }
  | { readonly or: readonly Condition[] }
  | { readonly not: Condition }
  | Comparison

export type Select = { readonly object: string; readonly joins: readonly Join[]; readonly where: readonly Condition[] }

type Row = Readonly<Record<string, Json>>

const base = 'b'

/** The ids of the records that a SELECT finds. */
export function found(world: World, { object, joins, where }: Select): Set<string> {
  const ids = new Set<string>()
  for (const record of world[object]!.values()) {
    const rows = joins.reduce<Row[]>(
      (some, join) => some.flatMap((row) => joined(world, row, join)),
      [{ [base]: record }],
    )
    if (rows.some((row) => where.every((part) => truth(row, part) === true))) ids.add(record._id)
  }
  return ids
}

function joined(world: World, row: Row, { alias, object, from, reference, isBack, inner }: Join): Row[] {
  const start = row[from]
  const others = [...world[object]!.values()].filter(
    (other) => start !== null && (isBack ? other[reference] === start._id : start[reference] === other._id),
  )
  return others.length === 0 && !inner
    ? [{ ...row, [alias]: null }]
    : others.map((other) => ({ ...row, [alias]: other }))
}

function truth(row: Row, condition: Condition): Truth {
  if ('not' in condition) {
    const inner = truth(row, condition.not)
    return inner === undefined ? undefined : !inner
  }
  if ('and' in condition) return all(condition.and.map((part) => truth(row, part)))
  if ('or' in condition) {
    const denied = all(condition.or.map((part) => truth(row, { not: part })))
    return denied === undefined ? undefined : !denied
  }
  return compare(row[condition.alias], condition)
}

const all = (parts: readonly Truth[]): Truth =>
  parts.includes(false) ? false : parts.includes(undefined) ? undefined : true

const operandOf = ({ kind }: Field, value: Json): Json =>
  kind === 'flag'
    ? Number(value)
    : kind === 'timestamp'
      ? Date.parse(value)
      : kind === 'text' || kind === 'items'
        ? folded(value)
        : value

function compare(record: Json, { field, sign, values }: Comparison): Truth {
  const compared: Json = record === null ? null : comparedOf(field, record)
  const isNull = compared === null || (Array.isArray(compared) && compared.length === 0)
  if (sign === 'IS NULL') return isNull
  if (sign === 'IS NOT NULL') return !isNull
  if (isNull) return undefined
  const [one, other] = values.map((value) => operandOf(field, value))
  if (sign === '?|') return values.some((value) => compared.includes(operandOf(field, value)))
  if (sign === 'IN') return values.some((value) => operandOf(field, value) === compared)
  if (sign === 'NOT IN') return !values.some((value) => operandOf(field, value) === compared)
  const order: Readonly<Record<string, boolean>> = {
    '=': compared === one,
    '<>': compared !== one,
    '<': compared < one,
    '>': compared > one,
    '<=': compared <= one,
    '>=': compared >= one,
    BETWEEN: compared >= one && compared <= other,
    'NOT BETWEEN': compared < one || compared > other,
    'LIKE x%': String(compared).startsWith(one),
    'LIKE %x': String(compared).endsWith(one),
    'LIKE %x%': String(compared).includes(one),
    'NOT LIKE %x%': !String(compared).includes(one),
  }
  return order[sign]
}

// Its text.

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
const literal = ({ kind }: Field, value: Json): string =>
  kind === 'number' || kind === 'flag' ? String(value) : quoted(value)
const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`)

function spelledComparison({ alias, field, sign, values }: Comparison): string {
  const column = `${alias}."${field.name}"`
  const [one = ''] = values
  if (sign.startsWith('IS ')) return `${column} ${sign}`
  if (sign === '?|') return `(${column}->'items') ?| ARRAY[${values.map((value) => quoted(value)).join(', ')}]`
  if (sign.endsWith('IN')) return `${column} ${sign} (${values.map((value) => literal(field, value)).join(', ')})`
  if (sign.includes('BETWEEN')) return `${column} ${sign} ${values.map((value) => literal(field, value)).join(' AND ')}`
  const pattern = /^((?:NOT )?)LIKE (%?)x(%?)$/.exec(sign)
  return pattern === null
    ? `${column} ${sign} ${literal(field, one)}`
    : `${column} ${pattern[1]}${one.length % 2 === 0 ? 'LIKE' : 'ILIKE'} ` +
        quoted(`${pattern[2]}${escaped(one)}${pattern[3]}`)
}

function spelledCondition(condition: Condition): string {
  if ('not' in condition) return `NOT (${spelledCondition(condition.not)})`
  if ('and' in condition) return `(${condition.and.map(spelledCondition).join(' AND ')})`
  if ('or' in condition) return `(${condition.or.map(spelledCondition).join(' OR ')})`
  return spelledComparison(condition)
}

const spelledJoin = ({ alias, object, from, reference, isBack, inner }: Join): string =>
  `${inner ? 'JOIN' : 'LEFT JOIN'} ${object} ${alias} ON ` +
  (isBack ? `${alias}.${reference} = ${from}._id` : `${alias}._id = ${from}.${reference}`)

export const spelled = ({ object, joins, where }: Select): string =>
  [
    `SELECT ${base}.* FROM ${object} AS ${base}`,
    ...joins.map(spelledJoin),
    ...(where.length === 0 ? [] : [`WHERE ${where.map(spelledCondition).join(' AND ')}`]),
  ].join(' ')

// The comparisons of each type.

const signsOf: Readonly<Record<string, readonly string[]>> = {
  text: ['=', '<>', 'IN', 'NOT IN', 'LIKE x%', 'LIKE %x', 'LIKE %x%', 'NOT LIKE %x%'],
  number: ['=', '<>', '<', '>', '<=', '>=', 'IN', 'NOT IN', 'BETWEEN', 'NOT BETWEEN'],
  date: ['=', '<>', '<', '>', '<=', '>=', 'IN', 'BETWEEN', 'NOT BETWEEN'],
  timestamp: ['<', '>', '<=', '>='],
  select: ['=', '<>', 'IN', 'NOT IN'],
  id: ['=', '<>', 'IN'],
  flag: ['=', '<>'],
  items: ['?|'],
}

const short = texts.filter((text) => text.trim() === text && text !== '' && text.length < 40)

function valueOf(world: World, now: number, { kind, options, to, name }: Field, object: string): fc.Arbitrary<Json> {
  if (kind === 'text' || kind === 'items') return fc.constantFrom(...short)
  if (kind === 'number') return fc.constantFrom(...numbers)
  if (kind === 'date') return fc.constantFrom(...datesAround(now))
  if (kind === 'timestamp') return fc.constantFrom(...datesAround(now).map((day) => `${day}T12:00:00.000Z`))
  if (kind === 'select') return fc.constantFrom(...options!)
  if (kind === 'flag') return fc.boolean()
  return fc.constantFrom(...world[name === '_id' ? object : (to ?? 'user')]!.keys(), unknownId)
}

const askable = ({ kind, items }: Field): boolean =>
  signsOf[kind] !== undefined && (kind !== 'items' || items === 'text')

function comparisonOn(
  world: World,
  now: number,
  { alias, object }: Pick<Join, 'alias' | 'object'>,
): fc.Arbitrary<Condition> {
  const id: Field = { name: '_id', kind: 'id', to: object }
  return fc.constantFrom(...objects[object]!.filter(askable), id).chain((field) =>
    fc.constantFrom(...signsOf[field.kind]!, 'IS NULL', 'IS NOT NULL').chain((sign): fc.Arbitrary<Condition> => {
      const number = sign.startsWith('IS ')
        ? 0
        : sign.includes('BETWEEN')
          ? 2
          : sign.endsWith('IN') || sign === '?|'
            ? 3
            : 1
      const several = fc.array(valueOf(world, now, field, object), {
        minLength: number === 3 ? 1 : number,
        maxLength: number,
      })
      return several.map((values) => ({ alias, field, sign, values }))
    }),
  )
}

function conditionOn(
  world: World,
  now: number,
  tables: readonly Pick<Join, 'alias' | 'object'>[],
  depth: number,
): fc.Arbitrary<Condition> {
  const leaf = fc.constantFrom(...tables).chain((table) => comparisonOn(world, now, table))
  if (depth === 0) return leaf
  const inner = conditionOn(world, now, tables, depth - 1)
  const parts = fc.array(inner, { minLength: 2, maxLength: 3 })
  return fc.oneof(
    { arbitrary: leaf, weight: 3 },
    parts.map((and) => ({ and })),
    parts.map((or) => ({ or })),
    inner.map((not) => ({ not })),
  )
}

/** Which tables a SELECT may join, by its object: along a reference, or back along one; and what these lead on to. */
const ways: Readonly<Record<string, readonly (readonly Omit<Join, 'inner'>[])[]>> = {
  person: [
    [],
    [{ alias: 'c', object: 'company', from: base, reference: 'company_id', isBack: false }],
    [
      { alias: 'c', object: 'company', from: base, reference: 'company_id', isBack: false },
      { alias: 'd', object: 'deal', from: 'c', reference: 'company_id', isBack: true },
    ],
  ],
  company: [
    [],
    [{ alias: 'd', object: 'deal', from: base, reference: 'company_id', isBack: true }],
    [
      { alias: 'p', object: 'person', from: base, reference: 'company_id', isBack: true },
      { alias: 'd', object: 'deal', from: base, reference: 'company_id', isBack: true },
    ],
  ],
  deal: [
    [],
    [{ alias: 'c', object: 'company', from: base, reference: 'company_id', isBack: false }],
    [
      { alias: 't', object: 'task', from: base, reference: 'deal_id', isBack: true },
      { alias: 'p', object: 'person', from: 't', reference: 'person_id', isBack: false },
    ],
  ],
  task: [
    [],
    [
      { alias: 'd', object: 'deal', from: base, reference: 'deal_id', isBack: false },
      { alias: 'c', object: 'company', from: 'd', reference: 'company_id', isBack: false },
    ],
  ],
}

/**
 * Tables whose conditions may stand together: those that a record has one of, and each that it has many of, with what
 * it leads to.
 */
function groupsOf(object: string, joins: readonly Join[]): (readonly Pick<Join, 'alias' | 'object'>[])[] {
  const rootOf = ({ alias, from, isBack }: Join): string =>
    isBack ? alias : from === base ? base : rootOf(joins.find((join) => join.alias === from)!)
  return [
    ...Map.groupBy(
      [{ alias: base, object, root: base }, ...joins.map((join) => ({ ...join, root: rootOf(join) }))],
      ({ root }) => root,
    ).values(),
  ]
}

/** SELECTs that lists take. */
export const selects = (world: World, now: number): fc.Arbitrary<Select> =>
  fc.constantFrom(...Object.keys(ways)).chain((object) =>
    fc.constantFrom(...ways[object]!).chain((some) =>
      fc.tuple(...some.map(() => fc.boolean())).chain((inner) => {
        const joins = some.map((join, index) => ({ ...join, inner: inner[index] === true }))
        const conjunct = fc
          .constantFrom(...groupsOf(object, joins))
          .chain((tables) => conditionOn(world, now, tables, 2))
        return fc.array(conjunct, { maxLength: 3 }).map((where) => ({ object, joins, where }))
      }),
    ),
  )

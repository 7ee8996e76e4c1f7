import type { Knex } from 'knex'
import { monthStart } from '../../db/expressions.ts'
import type { Sql } from '../../db/sql.ts'
import { isNameIn } from '../../lib/guards.ts'
import { namesIn, only, refused, type Node } from '../sql-grammar/index.ts'
import {
  dayOf,
  isConstant,
  kindNames,
  valueOf,
  type SqlKind,
  type SqlOperand,
  type SqlScope,
  type SqlValue,
} from './value.ts'

/** Compiles the call of a function. */
export function callOf(node: Node, part: unknown, scope: SqlScope, at: (inner: unknown) => SqlOperand): SqlValue {
  const name = (namesIn(node['funcname'])?.at(-1) ?? '').toLowerCase()
  if (isNameIn(aggregates, name)) return scope.aggregateOf(node, part)
  only(node, ['funcname', 'args', 'funcformat'], name === '' ? 'A function' : name.toUpperCase())
  if (!isNameIn(functions, name))
    throw refused(`There is no function ${name.slice(0, 64)}`, part, undefined, [...functionNames])
  const args = Array.isArray(node['args']) ? node['args'] : []
  return functions[name]({ args, operands: args.map(at), part, scope })
}

type Call = {
  readonly args: readonly unknown[]
  readonly operands: readonly SqlOperand[]
  readonly part: unknown
  readonly scope: SqlScope
}

function argument({ args, operands, part, scope }: Call, index: number, kind: SqlKind): Knex.Raw {
  const operand = operands[index]
  if (operand === undefined) throw refused('This function does not accept this argument', part)
  const value = valueOf(operand, scope, args[index])
  if (value.kind !== kind && !(kind === 'text' && value.kind === 'exact'))
    throw refused(`A ${kindNames[kind]} is expected here`, args[index], part)
  return value.value
}

function requireArguments({ args, part }: Call, least: number, most: number): void {
  if (args.length < least || args.length > most)
    throw refused(`This function accepts ${least === most ? least : `${least} or ${most}`} arguments`, part)
}

const ofNumber =
  (make: (sql: Sql, value: Knex.Raw) => Knex.Raw) =>
  (call: Call): SqlValue => {
    requireArguments(call, 1, 1)
    return { kind: 'number', value: make(call.scope.sql, argument(call, 0, 'number')) }
  }

const functions = {
  abs: ofNumber((sql, value) => sql`abs(${value})`),
  ceil: ofNumber((sql, value) => sql`ceil(${value})`),
  floor: ofNumber((sql, value) => sql`floor(${value})`),
  round: rounded,
  length(call: Call): SqlValue {
    requireArguments(call, 1, 1)
    return { kind: 'number', value: call.scope.sql`length(${argument(call, 0, 'text')})` }
  },
  date_trunc: periodStart,
  extract: partOfDay,
  date_part: partOfDay,
} as const satisfies Readonly<Record<string, (call: Call) => SqlValue>>

function rounded(call: Call): SqlValue {
  requireArguments(call, 1, 2)
  const { sql } = call.scope
  const value = argument(call, 0, 'number')
  const places = call.operands[1]
  const digits = places === undefined ? 0 : isConstant(places) ? places.constant : undefined
  if (typeof digits !== 'number' || !Number.isInteger(digits) || digits < 0 || digits > 10)
    throw refused('A number can be rounded to 0 to 10 decimals', call.args[1], call.part)
  return { kind: 'number', value: sql`round(cast(${value} as numeric), cast(${digits} as int))` }
}

/** The unit that a function names first. */
function unitOf<U extends string>({ operands, args, part }: Call, units: readonly U[]): U {
  const [unit] = operands
  const name = unit !== undefined && isConstant(unit) ? String(unit.constant).toLowerCase() : ''
  const known = units.find((one) => one === name)
  if (known === undefined) throw refused('This unit is not supported', args[0], part, [...units])
  return known
}

const dayAt = (call: Call): SqlValue => {
  requireArguments(call, 2, 2)
  return dayOf(valueOf(call.operands[1] ?? { constant: null }, call.scope, call.args[1]), call.scope, call.args[1])
}

/** DATE_TRUNC: the first day of the period, in the time zone of the workspace. */
function periodStart(call: Call): SqlValue {
  const unit = unitOf(call, ['day', 'week', 'month', 'quarter', 'year'])
  const { value } = dayAt(call)
  const { sql } = call.scope
  if (unit === 'day') return { kind: 'date', value }
  return { kind: 'date', value: unit === 'week' ? sql.dialect.mondayOf(value) : monthStart(sql, value, unit) }
}

/** EXTRACT: a part of the day. */
function partOfDay(call: Call): SqlValue {
  const unit = unitOf(call, ['year', 'quarter', 'month', 'day'])
  const { value } = dayAt(call)
  const { sql } = call.scope
  const digits = (from: number, length: number) => sql`cast(substr(${value}, ${from}, ${length}) as int)`
  if (unit === 'year') return { kind: 'number', value: digits(1, 4) }
  if (unit === 'day') return { kind: 'number', value: digits(9, 2) }
  const month = digits(6, 2)
  return { kind: 'number', value: unit === 'month' ? month : sql`((${month} + 2) / 3)` }
}

/** Functions of a group of rows, by the kinds that they take; `undefined` takes any. */
export const aggregates = {
  count: undefined,
  sum: ['number'],
  avg: ['number'],
  min: ['number', 'date', 'time', 'stamp'],
  max: ['number', 'date', 'time', 'stamp'],
  median: ['number'],
} as const satisfies Readonly<Record<string, readonly SqlKind[] | undefined>>

export type AggregateName = keyof typeof aggregates

const functionNames: readonly string[] = [
  ...Object.keys(aggregates),
  ...Object.keys(functions),
  'coalesce',
  'nullif',
  'now',
]

import type { Knex } from 'knex'
import { memberOf, isNameIn, isString } from '../../lib/guards.ts'
import { kindOf, namesIn, only, refused, type Node } from '../sql-grammar/index.ts'
import { callOf } from './functions.ts'
import { operationOf } from './operators.ts'
import { alike, compared, dayOf, isConstant, valueOf, type SqlOperand, type SqlScope, type SqlValue } from './value.ts'
import { DateTime, type DurationLikeObject } from 'luxon'

/** Compiles an expression; throws `SqlRefusal` for what is not supported. */
function operandAt(part: unknown, scope: SqlScope, depth = 0): SqlOperand {
  scope.budget.enter(depth, part)
  const known = scope.known(part)
  if (known !== undefined) return known
  const moment = momentOf(part, scope)
  if (moment !== undefined) return { constant: moment }
  const [kind, node] = kindOf(part)
  const at = (inner: unknown): SqlOperand => operandAt(inner, scope, depth + 1)
  const compile = compilers[kind]
  if (compile === undefined) throw refused(`${words[kind] ?? 'This'} is not supported`, part)
  return compile({ node, part, scope, at })
}

/** Compiles an expression to a value. */
export const valueAt = (part: unknown, scope: SqlScope, depth = 0): SqlValue =>
  valueOf(operandAt(part, scope, depth), scope, part)

/** Compiles a condition. */
export function conditionAt(part: unknown, scope: SqlScope): Knex.Raw {
  const { kind, value } = valueAt(part, scope)
  if (kind !== 'flag') throw refused('A condition is expected here', part)
  return value
}

type Compiling = {
  readonly node: Node
  readonly part: unknown
  readonly scope: SqlScope
  readonly at: (inner: unknown) => SqlOperand
}

const compilers: Readonly<Record<string, (compiling: Compiling) => SqlOperand>> = {
  A_Const: ({ node, part }) => constantOf(node, part),
  ColumnRef: ({ part, scope }) => scope.columnAt(part),
  BoolExpr: logical,
  NullTest: nullTest,
  BooleanTest: truthTest,
  A_Expr: ({ node, part, scope, at }) => operationOf(node, part, scope, at),
  FuncCall: ({ node, part, scope, at }) => callOf(node, part, scope, at),
  CaseExpr: caseOf,
  CoalesceExpr: coalesce,
  TypeCast: castOf,
}

const words: Readonly<Record<string, string>> = {
  SubLink: 'A subquery',
  ParamRef: 'A parameter',
  A_ArrayExpr: 'An array',
  RowExpr: 'A row of values',
  A_Indirection: 'A member of a value',
  MinMaxExpr: 'GREATEST or LEAST',
  SQLValueFunction: 'This function',
}

function constantOf(node: Node, part: unknown): SqlOperand {
  if (node['isnull'] === true) return { constant: null }
  const [kind, value] = Object.entries(node).find(([name]) => name !== 'location') ?? []
  const held = kind === undefined ? undefined : memberOf(value, kind)
  if (kind === 'ival' || kind === 'fval') return { constant: Number(held ?? 0) }
  if (kind === 'boolval') return { constant: held === true }
  const text = held ?? ''
  if (kind === 'sval' && typeof text === 'string') return { constant: text }
  throw refused('This constant is not supported', part)
}

function logical({ node, part, scope, at }: Compiling): SqlValue {
  only(node, ['boolop', 'args'], 'A condition')
  const args = Array.isArray(node['args']) ? node['args'] : []
  const conditions = args.map((arg) => flag(valueOf(at(arg), scope, arg), arg))
  const { sql } = scope
  if (node['boolop'] === 'NOT_EXPR') return { kind: 'flag', value: sql`(not ${sql.join(conditions, '')})` }
  if (node['boolop'] !== 'AND_EXPR' && node['boolop'] !== 'OR_EXPR') throw refused('This is not a condition', part)
  return { kind: 'flag', value: sql`(${sql.join(conditions, node['boolop'] === 'AND_EXPR' ? ' and ' : ' or ')})` }
}

function flag({ kind, value }: SqlValue, part: unknown): Knex.Raw {
  if (kind !== 'flag') throw refused('A condition is expected here', part)
  return value
}

function nullTest({ node, scope, at }: Compiling): SqlValue {
  only(node, ['arg', 'nulltesttype'], 'IS NULL')
  const { value } = valueOf(at(node['arg']), scope, node['arg'])
  const { sql } = scope
  const isNull = node['nulltesttype'] === 'IS_NULL'
  return { kind: 'flag', value: isNull ? sql`(${value} is null)` : sql`(${value} is not null)` }
}

const truths: Readonly<Record<string, string>> = {
  IS_TRUE: 'is true',
  IS_NOT_TRUE: 'is not true',
  IS_FALSE: 'is false',
  IS_NOT_FALSE: 'is not false',
  IS_UNKNOWN: 'is null',
  IS_NOT_UNKNOWN: 'is not null',
}

function truthTest({ node, part, scope, at }: Compiling): SqlValue {
  only(node, ['arg', 'booltesttype'], 'IS TRUE')
  const test = truths[String(node['booltesttype'])]
  if (test === undefined) throw refused('This test is not supported', part)
  const value = flag(valueOf(at(node['arg']), scope, node['arg']), node['arg'])
  return { kind: 'flag', value: scope.sql`(${value} ${scope.sql.knex.raw(test)})` }
}

/** Operands of which one is the result, brought to one kind. */
function unified(operands: readonly SqlOperand[], scope: SqlScope, part: unknown): readonly SqlValue[] {
  const typed = operands.find((one): one is SqlValue => !isConstant(one))
  const first =
    typed ??
    valueOf(operands.find((one) => 'constant' in one && one.constant !== null) ?? { constant: '' }, scope, part)
  return operands.map((one) => alike(one, { ...first, options: undefined }, scope, part)[0])
}

function coalesce({ node, part, scope, at }: Compiling): SqlValue {
  only(node, ['args'], 'COALESCE')
  const values = unified((Array.isArray(node['args']) ? node['args'] : []).map(at), scope, part)
  const { sql } = scope
  const kind = values[0]?.kind ?? 'text'
  // SQLite takes two or more.
  return { kind, value: sql`coalesce(${sql.join([...values.map(({ value }) => value), sql`null`], ', ')})` }
}

function caseOf({ node, part, scope, at }: Compiling): SqlValue {
  only(node, ['arg', 'args', 'defresult'], 'CASE')
  const { sql } = scope
  const subject = node['arg'] === undefined ? undefined : valueOf(at(node['arg']), scope, node['arg'])
  const whens = (Array.isArray(node['args']) ? node['args'] : []).map((when) => kindOf(when)[1])
  const conditions = whens.map((when) => {
    if (subject === undefined) return flag(valueOf(at(when['expr']), scope, when['expr']), when['expr'])
    const [one, other] = alike(subject, at(when['expr']), scope, when['expr'])
    return sql`${compared(scope, one)} = ${compared(scope, other)}`
  })
  const results = [
    ...whens.map((when) => at(when['result'])),
    node['defresult'] === undefined ? { constant: null } : at(node['defresult']),
  ]
  const values = unified(results, scope, part)
  const branches = conditions.map((condition, index) => sql`when ${condition} then ${values[index]?.value}`)
  return {
    kind: values[0]?.kind ?? 'text',
    value: sql`(case ${sql.join(branches, ' ')} else ${values.at(-1)?.value} end)`,
  }
}

/** Dates of times, the one cast that there is. */
function castOf({ node, part, scope, at }: Compiling): SqlValue {
  const names = namesIn(kindOf({ TypeName: node['typeName'] })[1]['names'])
  if (names?.at(-1) !== 'date') throw refused('Only casts to date are supported', part)
  const value = valueOf(at(node['arg']), scope, node['arg'])
  return dayOf(value, scope, part)
}

/** Reads a moment: now, today, and what is some time before or after. Undefined for anything else. */
function momentOf(part: unknown, scope: Pick<SqlScope, 'now' | 'timeZone'>): DateTime | undefined {
  const [kind, node] = kindOf(part)
  const now = DateTime.fromMillis(scope.now, { zone: scope.timeZone })
  if (kind === 'SQLValueFunction') {
    if (node['op'] === 'SVFOP_CURRENT_DATE') return now.startOf('day')
    return node['op'] === 'SVFOP_CURRENT_TIMESTAMP' ? now : undefined
  }
  if (kind === 'FuncCall' && namesIn(node['funcname'])?.join('.') === 'now' && node['args'] === undefined) return now
  return kind === 'A_Expr' && node['kind'] === 'AEXPR_OP' ? shifted(node, scope) : undefined
}

function shifted(node: Node, scope: Pick<SqlScope, 'now' | 'timeZone'>): DateTime | undefined {
  const operator = namesIn(node['name'])?.join('.')
  const length = operator === '+' || operator === '-' ? intervalOf(node['rexpr']) : undefined
  if (length === undefined) return undefined
  const from = momentOf(node['lexpr'], scope)
  if (from === undefined)
    throw refused('An interval can only be added to or subtracted from now() or CURRENT_DATE', node['rexpr'])
  return operator === '+' ? from.plus(length) : from.minus(length)
}

const units = {
  minute: 'minutes',
  hour: 'hours',
  day: 'days',
  week: 'weeks',
  month: 'months',
  quarter: 'quarters',
  year: 'years',
} as const

/** Longest number of units: five digits, more than any date has years. */
const intervalShape = /^\s*(\d{1,5})\s+([a-z]+?)s?\s*$/i

function intervalOf(part: unknown): DurationLikeObject | undefined {
  const [kind, node] = kindOf(part)
  if (kind !== 'TypeCast') return undefined
  const names = namesIn(kindOf({ TypeName: node['typeName'] })[1]['names'])
  if (names?.at(-1) !== 'interval') return undefined
  const text = memberOf(kindOf(node['arg'])[1]['sval'], 'sval')
  const [, count, unit = ''] = intervalShape.exec(isString(text) ? text : '') ?? []
  const name = unit.toLowerCase()
  if (count === undefined || !isNameIn(units, name))
    throw refused("An interval must be a number and a unit, such as '30 days'", part, undefined, Object.keys(units))
  return { [units[name]]: Number(count) }
}

import type { Knex } from 'knex'
import { likeEscape } from '../../db/expressions.ts'
import { fold } from '../../db/fold.ts'
import { kindOf, namesIn, only, refused, type Node } from '../sql-grammar/index.ts'
import {
  alike,
  compared,
  isConstant,
  kindNames,
  valueOf,
  type SqlOperand,
  type SqlScope,
  type SqlValue,
} from './value.ts'

type At = (inner: unknown) => SqlOperand

/** Compiles an operation: a comparison, a pattern, or arithmetic. */
export function operationOf(node: Node, part: unknown, scope: SqlScope, at: At): SqlValue {
  only(node, ['kind', 'name', 'lexpr', 'rexpr', 'rexpr_list_start', 'rexpr_list_end'], 'An operation')
  const operator = namesIn(node['name'])?.join('.') ?? ''
  const operation = operations[String(node['kind'])]
  if (operation === undefined) throw refused('This operator is not supported', part)
  return operation({ operator, left: node['lexpr'], right: node['rexpr'], part, scope, at })
}

type Operation = {
  readonly operator: string
  readonly left: unknown
  readonly right: unknown
  readonly part: unknown
  readonly scope: SqlScope
  readonly at: At
}

const operations: Readonly<Record<string, (operation: Operation) => SqlValue>> = {
  AEXPR_OP: plain,
  AEXPR_IN: isIn,
  AEXPR_LIKE: like,
  AEXPR_ILIKE: like,
  AEXPR_BETWEEN: (operation) => between(operation, false),
  AEXPR_NOT_BETWEEN: (operation) => between(operation, true),
  AEXPR_NULLIF: nullIf,
  AEXPR_DISTINCT: (operation) => distinct(operation, 'is not'),
  AEXPR_NOT_DISTINCT: (operation) => distinct(operation, 'is'),
}

const equality = new Set(['=', '<>'])
const orders = new Set(['<', '>', '<=', '>='])
const arithmetic = new Set(['+', '-', '*', '/'])

function plain(operation: Operation): SqlValue {
  const { operator, left, right, part, scope, at } = operation
  if (left === undefined) return negative(operation)
  const [one, other] = [at(left), at(right)]
  if (equality.has(operator) || orders.has(operator)) {
    const pair = alike(one, other, scope, part)
    if (orders.has(operator)) requireOrder(pair[0], part)
    return comparison(pair, operator, scope)
  }
  if (operator === '||') return joined(one, other, scope, part)
  if (!arithmetic.has(operator)) throw refused(`The operator ${operator.slice(0, 8)} is not supported`, part)
  return computed(operator, numeric(one, scope, left), numeric(other, scope, right), scope)
}

const comparison = ([one, other]: readonly [SqlValue, SqlValue], operator: string, scope: SqlScope): SqlValue => ({
  kind: 'flag',
  value: scope.sql`(${compared(scope, one)} ${scope.sql.knex.raw(operator)} ${compared(scope, other)})`,
})

function requireOrder({ kind }: SqlValue, part: unknown): void {
  if (kind === 'text' || kind === 'exact' || kind === 'flag')
    throw refused(`A ${kindNames[kind]} cannot be compared with < or >`, part)
}

function numeric(operand: SqlOperand, scope: SqlScope, part: unknown): Knex.Raw {
  const { kind, value } = valueOf(operand, scope, part)
  if (kind !== 'number') throw refused(`A number is expected here, but this is a ${kindNames[kind]}`, part)
  return value
}

function negative({ operator, right, part, scope, at }: Operation): SqlValue {
  if (operator !== '-' && operator !== '+') throw refused('This operator is not supported', part)
  const value = numeric(at(right), scope, right)
  return { kind: 'number', value: operator === '-' ? scope.sql`(- ${value})` : value }
}

/** Arithmetic of floating point on both databases; what is divided by zero is null. */
function computed(operator: string, one: Knex.Raw, other: Knex.Raw, { sql }: SqlScope): SqlValue {
  const left = sql`cast(${one} as float8)`
  const right = operator === '/' ? sql`nullif(cast(${other} as float8), 0)` : sql`cast(${other} as float8)`
  return { kind: 'number', value: sql`(${left} ${sql.knex.raw(operator)} ${right})` }
}

function joined(one: SqlOperand, other: SqlOperand, scope: SqlScope, part: unknown): SqlValue {
  const values = [valueOf(one, scope, part), valueOf(other, scope, part)]
  if (!values.every(({ kind }) => kind === 'text' || kind === 'exact' || kind === 'date'))
    throw refused('Join texts with ||', part)
  return {
    kind: 'text',
    value: scope.sql`(${scope.sql.join(
      values.map(({ value }) => value),
      ' || ',
    )})`,
  }
}

function isIn({ operator, left, right, part, scope, at }: Operation): SqlValue {
  const [kind, { items }] = kindOf(right)
  if (kind !== 'List' || !Array.isArray(items)) throw refused('IN requires a list of values', part)
  const subject = at(left)
  const pairs = items.map((item) => alike(subject, at(item), scope, item))
  const { sql } = scope
  const first = pairs[0]?.[0]
  if (first === undefined) throw refused('IN requires a list of values', part)
  const list = sql.join(
    pairs.map(([, other]) => compared(scope, other)),
    ', ',
  )
  return {
    kind: 'flag',
    value: sql`(${compared(scope, first)} ${sql.knex.raw(operator === '<>' ? 'not in' : 'in')} (${list}))`,
  }
}

/** LIKE and ILIKE: both regardless of case, as filters are. */
function like({ operator, left, right, part, scope, at }: Operation): SqlValue {
  const value = valueOf(at(left), scope, left)
  if (value.kind !== 'text' && value.kind !== 'exact') throw refused('LIKE only applies to texts', part)
  const pattern = at(right)
  if (!isConstant(pattern) || typeof pattern.constant !== 'string')
    throw refused('A pattern must be a text', right, part)
  const { sql } = scope
  const found = sql`${sql.dialect.fold(value.value)} like ${escaped(pattern.constant)} escape ${likeEscape}`
  return { kind: 'flag', value: operator.startsWith('!') ? sql`(not (${found}))` : sql`(${found})` }
}

/** A pattern with the escape that Knex leaves alone, in place of the backslash. */
const escaped = (pattern: string): string =>
  fold(pattern).replaceAll(/\\(.)|!/gsu, (all, next: string | undefined) =>
    next === undefined ? '!!' : /[%_!]/u.test(next) ? `!${next}` : all === '\\\\' ? '\\' : next,
  )

function between({ left, right, part, scope, at }: Operation, isDenied: boolean): SqlValue {
  const [from, until] = itemsOf(right)
  const subject = at(left)
  const low = alike(subject, at(from), scope, from)
  const high = alike(subject, at(until), scope, until)
  requireOrder(low[0], part)
  const { sql } = scope
  const value = sql`(${low[0].value} >= ${low[1].value} and ${high[0].value} <= ${high[1].value})`
  return { kind: 'flag', value: isDenied ? sql`(not ${value})` : value }
}

const itemsOf = (list: unknown): readonly unknown[] => {
  const { items } = kindOf(list)[1]
  return Array.isArray(items) ? items : []
}

function nullIf({ left, right, part, scope, at }: Operation): SqlValue {
  const [one, other] = alike(at(left), at(right), scope, part)
  const equal = comparison([one, other], '=', scope)
  return { kind: one.kind, value: scope.sql`(case when ${equal.value} then null else ${one.value} end)` }
}

/** IS DISTINCT FROM and its denial, in words that both databases read. */
function distinct({ left, right, part, scope, at }: Operation, is: 'is' | 'is not'): SqlValue {
  const [one, other] = alike(at(left), at(right), scope, part).map((value) => compared(scope, value))
  const { sql } = scope
  const same = sql`(${one} = ${other} or (${one} is null and ${other} is null))`
  return { kind: 'flag', value: is === 'is' ? sql`(${same} is true)` : sql`(${same} is not true)` }
}

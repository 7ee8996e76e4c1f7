import { operators, type Operator } from '@kontor/contract'
import { isList, isOneOf, memberOf } from '../../../lib/guards.ts'
import { isCollection, operatorsOf } from '../../objects/index.ts'
import { dayComparisons, operatorOn } from '../../filters/index.ts'
import { namesIn, type Node, refused } from '../../sql-grammar/index.ts'
import type { Located } from './columns.ts'
import { operandAt, operandsAt, literalAt, type Reading } from './literals.ts'
import { isLike, patternOf, type LikePattern } from './patterns.ts'
import { allOf, type Leaf, type Tree } from './tree.ts'

type Alias = 'gt' | 'gte' | 'lt' | 'lte'

/** The operator of each comparison sign, its negation, and the sign with its sides exchanged. */
const orders: Readonly<Record<string, { readonly asks: Alias; readonly denies: Alias; readonly turned: string }>> = {
  '<': { asks: 'lt', denies: 'gte', turned: '>' },
  '>': { asks: 'gt', denies: 'lte', turned: '<' },
  '<=': { asks: 'lte', denies: 'gt', turned: '>=' },
  '>=': { asks: 'gte', denies: 'lt', turned: '<=' },
}

/** A sign with its sides exchanged; undefined for an unknown sign. */
export const turned = (sign: string): string | undefined =>
  sign === '=' || sign === '<>' ? sign : orders[sign]?.turned

export const leaf = ({ table, column }: Located, op: Leaf['op'], values: Leaf['values'] = []): Leaf => ({
  steps: table.steps,
  column,
  op,
  values,
})

export const isThere = (located: Located): Tree => leaf(located, 'Is not empty')
const nothing = (located: Located): Tree => leaf(located, 'One of', [])

/** A condition or its negation, as in SQL: neither holds for an empty value. */
const either = (located: Located, condition: Tree, negated: boolean): Tree =>
  negated ? { and: [isThere(located), { not: condition }] } : condition

/** A comparison of a column with a constant. */
export function compared(located: Located, sign: string, value: unknown, negated: boolean, reading: Reading): Tree {
  if (sign === '=' || sign === '<>') return equal(located, [value], (sign === '<>') !== negated, reading)
  const order = orders[sign]
  if (order === undefined)
    throw refused(`The operator "${sign}" is not supported; use = <> < > <= >= IN LIKE ILIKE BETWEEN IS NULL`, value)
  const op = operatorOf(located, negated ? order.denies : order.asks, value)
  return (
    onDay(located, op, value, reading) ??
    leaf(
      located,
      op,
      [operandAt(value, located.column, reading)].filter((operand) => operand !== undefined),
    )
  )
}

/** A comparison of a time with a bare date. */
function onDay(located: Located, op: Operator, value: unknown, { timeZone }: Reading): Tree | undefined {
  const comparisons = dayComparisons(located.column, op, literalAt(value), timeZone)
  return comparisons && allOf(comparisons.map((one) => leaf(located, one.op, [one.value])))
}

function operatorOf({ column }: Located, alias: Alias, part: unknown): Operator {
  const op = operatorsOf(column).find((one) => isOneOf(operators[one], alias))
  if (op === undefined) throw refused(`"${column.name}" cannot be compared with < or >`, part)
  return op
}

/** Equality with any of some constants. */
export function equal(located: Located, values: readonly unknown[], negated: boolean, reading: Reading): Tree {
  const { column } = located
  if (isCollection(column) || !operatorsOf(column).includes('Is'))
    throw refused(`"${column.name}" has several values: write ("${column.name}"->'items') ?| ARRAY['…']`, values[0])
  const days = values.map((value) => onDay(located, 'Is', value, reading))
  if (days.some((day) => day !== undefined)) {
    const or = days.map((day, index) => day ?? equal(located, [values[index]], false, reading))
    return either(located, { or }, negated)
  }
  const operands = values.flatMap((value) => operandsAt(value, located, reading))
  const [first, ...others] = operands
  if (first === undefined) return negated ? isThere(located) : nothing(located)
  return either(
    located,
    others.length === 0 ? leaf(located, 'Is', [first]) : leaf(located, 'One of', operands),
    negated,
  )
}

/** LIKE and ILIKE, which are the same here: texts compare regardless of case. */
export function like(located: Located, node: Node, negated: boolean): Tree {
  const denied = namesIn(node['name'])?.join('').startsWith('!') === true
  const literal = literalAt(node['rexpr'])
  const pattern = typeof literal === 'string' ? patternOf(literal) : undefined
  if (pattern === undefined) throw refused('The pattern of LIKE must not end in a backslash', node['rexpr'])
  const { column } = located
  if (pattern === 'anything') return denied === negated ? isThere(located) : nothing(located)
  const options = column.kind === 'field' && !isCollection(column) ? column.field.options : undefined
  const asked =
    options === undefined
      ? ofTexts(located, pattern, node)
      : leaf(
          located,
          'One of',
          [...options].filter((option) => isLike(option, String(literal))),
        )
  return either(located, asked, denied !== negated)
}

/** Compiles a pattern to a filter operator if there is one, since indexes answer more of these. */
function ofTexts(located: Located, pattern: Exclude<LikePattern, 'anything'>, node: Node): Tree {
  const { column } = located
  const { type } = column.kind === 'field' ? column.field : {}
  if (column.kind !== 'field' || type === undefined || type.comparedAs !== 'text' || type.exact === true)
    throw refused(`"${column.name}" cannot be compared with a pattern`, node['rexpr'])
  const allowed = operatorsOf(column)
  const by = (op: Leaf['op'], text: string): Leaf => leaf(located, op, [type.parseOperand(text, column.field) ?? ''])
  if (pattern.op !== 'Like')
    return allowed.includes(pattern.op) ? by(pattern.op, pattern.text) : leaf(located, 'Like', [pattern.pattern])
  const whole = leaf(located, 'Like', [pattern.pattern])
  return pattern.beginning !== '' && allowed.includes('Starts with')
    ? { and: [by('Starts with', pattern.beginning), whole] }
    : whole
}

export function between(located: Located, node: Node, negated: boolean, reading: Reading): Tree {
  const denied = node['kind'] === 'AEXPR_NOT_BETWEEN'
  const [from, to] = itemsOf(node['rexpr'])
  const [low, high] = denied === negated ? (['>=', '<='] as const) : (['<', '>'] as const)
  const parts = [compared(located, low, from, false, reading), compared(located, high, to, false, reading)]
  return denied === negated ? { and: parts } : { or: parts }
}

/** A condition that a collection has any of some items. */
export function hasAny(located: Located, items: readonly unknown[], negated: boolean, reading: Reading): Tree {
  const { column } = located
  if (!isCollection(column)) throw refused(`"${column.name}" has no items`, items[0])
  const operands = items.map((item) => operandAt(item, column, reading)).filter((operand) => operand !== undefined)
  return either(located, { or: operands.map((operand) => leaf(located, operatorOn(column, 'Is'), [operand])) }, negated)
}

/** The items of a list in the tree. */
export function itemsOf(part: unknown): readonly unknown[] {
  const items = memberOf(memberOf(part, 'List'), 'items')
  if (!isList(items)) throw refused('A list of constants is expected here', part)
  return items
}

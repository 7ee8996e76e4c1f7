import { operators, type Operator } from '@kontor/contract'
import { isOfItems, operatorsOf } from '../../records/index.ts'
import type { Located } from './columns.ts'
import { operandAt, literalAt, type Reading } from './literals.ts'
import { namesIn, refused } from './node.ts'
import type { Node } from './parser.ts'
import { patternOf } from './patterns.ts'
import type { Leaf, Tree } from './tree.ts'

type Alias = 'gt' | 'gte' | 'lt' | 'lte'

/** What a sign asks, and what denies it. */
const orders: Readonly<Record<string, { readonly asks: Alias; readonly denies: Alias; readonly turned: string }>> = {
  '<': { asks: 'lt', denies: 'gte', turned: '>' },
  '>': { asks: 'gt', denies: 'lte', turned: '<' },
  '<=': { asks: 'lte', denies: 'gt', turned: '>=' },
  '>=': { asks: 'gte', denies: 'lt', turned: '<=' },
}

/** A sign with its sides exchanged; undefined for one that is none of ours. */
export const turned = (sign: string): string | undefined => (sign === '=' || sign === '<>' ? sign : orders[sign]?.turned)

export const leaf = ({ table, column }: Located, op: Operator, values: Leaf['values'] = []): Leaf => ({ hops: table.steps, column, op, values })

export const isThere = (located: Located): Tree => leaf(located, 'Is not empty')
const nothing = (located: Located): Tree => leaf(located, 'One of', [])

/** A condition or what denies it, as SQL has it: of an empty value neither holds. */
const either = (located: Located, condition: Tree, negated: boolean): Tree => (negated ? { and: [isThere(located), { not: condition }] } : condition)

/** A comparison of a column with a constant. */
export function compared(located: Located, sign: string, value: unknown, negated: boolean, reading: Reading): Tree {
  if (sign === '=' || sign === '<>') return equal(located, [value], (sign === '<>') !== negated, reading)
  const order = orders[sign]
  if (order === undefined) throw refused(`There is no "${sign}" here; there are = <> < > <= >= IN LIKE ILIKE BETWEEN IS NULL`, value)
  return leaf(located, operatorOf(located, negated ? order.denies : order.asks, value), [operandAt(value, located.column, reading)].filter((operand) => operand !== undefined))
}

function operatorOf({ column }: Located, alias: Alias, part: unknown): Operator {
  const op = operatorsOf(column).find((one) => (operators[one] as readonly string[]).includes(alias))
  if (op === undefined) throw refused(`"${column.name}" has no order to compare by`, part)
  return op
}

/** Equality with one of some constants. */
export function equal(located: Located, values: readonly unknown[], negated: boolean, reading: Reading): Tree {
  const { column } = located
  if (isOfItems(column) || !operatorsOf(column).includes('Is')) throw refused(`"${column.name}" has several values: write ("${column.name}"->'items') ?| ARRAY['…']`, values[0])
  const operands = values.map((value) => operandAt(value, column, reading)).filter((operand) => operand !== undefined)
  const [first, ...others] = operands
  if (first === undefined) return negated ? isThere(located) : nothing(located)
  return either(located, others.length === 0 ? leaf(located, 'Is', [first]) : leaf(located, 'One of', operands), negated)
}

/** LIKE and ILIKE, which are the same here: texts compare regardless of case. */
export function like(located: Located, node: Node, negated: boolean): Tree {
  const denied = namesIn(node['name'])?.join('').startsWith('!') === true
  const literal = literalAt(node['rexpr'])
  const pattern = typeof literal === 'string' ? patternOf(literal) : undefined
  if (pattern === undefined) throw refused('LIKE takes a text with % at its beginning, at its end, or at both', node['rexpr'])
  const { column } = located
  if (pattern === 'anything') return denied === negated ? isThere(located) : nothing(located)
  if (!operatorsOf(column).includes(pattern.op) || isOfItems(column)) throw refused(`"${column.name}" is not compared with a pattern like this`, node['rexpr'])
  const operand = column.kind === 'field' ? column.field.type.parseOperand(pattern.text, column.field) : pattern.text
  if (operand === undefined) throw refused(`"${column.name}" is not compared with this`, node['rexpr'])
  return either(located, leaf(located, pattern.op, [operand]), denied !== negated)
}

export function between(located: Located, node: Node, negated: boolean, reading: Reading): Tree {
  const denied = node['kind'] === 'AEXPR_NOT_BETWEEN'
  const [from, to] = itemsOf(node['rexpr'])
  const [low, high] = denied === negated ? (['>=', '<='] as const) : (['<', '>'] as const)
  const parts = [compared(located, low, from, false, reading), compared(located, high, to, false, reading)]
  return denied === negated ? { and: parts } : { or: parts }
}

/** Whether a collection has one of some items. */
export function hasAny(located: Located, items: readonly unknown[], negated: boolean, reading: Reading): Tree {
  const { column } = located
  if (!isOfItems(column)) throw refused(`"${column.name}" has no items`, items[0])
  const operands = items.map((item) => operandAt(item, column, reading)).filter((operand) => operand !== undefined)
  return either(located, { or: operands.map((operand) => leaf(located, 'Contains', [operand])) }, negated)
}

/** The items of a list in the tree. */
export function itemsOf(part: unknown): readonly unknown[] {
  const items = (part as { List?: { items?: unknown } } | undefined)?.List?.items
  if (!Array.isArray(items)) throw refused('This takes a list of constants', part)
  return items
}

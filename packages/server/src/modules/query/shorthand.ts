import type { FilterValue, Operator } from '@kontor/contract'
import { isTime, operatorsOf, type Column } from '../objects/index.ts'

/** The meaning of a bare value: an operator and its value. */
export type Shorthand = { readonly op: Operator; readonly value: FilterValue | readonly FilterValue[] }

const comparisons: Readonly<Record<string, readonly Operator[]>> = {
  '>=': ['Greater than or equal', 'Is on or after'],
  '<=': ['Less than or equal', 'Is on or before'],
  '>': ['Greater than', 'Is after'],
  '<': ['Less than', 'Is before'],
}

/**
 * Parses a bare value (docs/decisions/0010): `>5`, `!=x`, `*x*`, `a,b`, `null`; otherwise it means equality, which for
 * a collection is equality of a whole item. A shorthand whose operator the type does not have is taken literally.
 */
export function parseShorthand(column: Column, value: FilterValue | readonly FilterValue[]): Shorthand {
  const allowed = operatorsOf(column)
  const plain: Shorthand = { op: allowed.includes('Is') ? 'Is' : 'Contains', value }
  if (typeof value !== 'string') return value === null ? (emptiness(allowed, 'null') ?? plain) : plain
  return (
    emptiness(allowed, value) ??
    comparison(allowed, value) ??
    negation(allowed, value) ??
    wildcard(column, allowed, value) ??
    list(column, value) ??
    plain
  )
}

function emptiness(allowed: readonly Operator[], value: string): Shorthand | undefined {
  const names: readonly Operator[] =
    value === 'null' ? ['Is empty', 'Is not set'] : value === '!null' ? ['Is not empty', 'Is set'] : []
  const op = names.find((name) => allowed.includes(name))
  return op && { op, value: null }
}

function comparison(allowed: readonly Operator[], value: string): Shorthand | undefined {
  const sign = Object.keys(comparisons).find((prefix) => value.startsWith(prefix))
  if (sign === undefined) return undefined
  const op = comparisons[sign]?.find((name) => allowed.includes(name))
  return op && { op, value: value.slice(sign.length).trim() }
}

function negation(allowed: readonly Operator[], value: string): Shorthand | undefined {
  const op = value.startsWith('!=')
    ? (['Is not', 'Does not contain'] as const).find((name) => allowed.includes(name))
    : undefined
  return op && { op, value: value.slice(2).trim() }
}

/** Parses stars at the ends of a text; a star within it is literal. */
function wildcard(column: Column, allowed: readonly Operator[], value: string): Shorthand | undefined {
  if (column.kind !== 'field' || !['text', 'items'].includes(column.field.type.comparedAs)) return undefined
  const [, before = '', text = '', after = ''] = /^(\*?)(.+?)(\*?)$/s.exec(value) ?? []
  if (before === '' && after === '') return undefined
  const op = before === '' ? 'Starts with' : after === '' ? 'Ends with' : 'Contains'
  return allowed.includes('Is') && allowed.includes(op) ? { op, value: text } : undefined
}

function list(column: Column, value: string): Shorthand | undefined {
  if (!value.includes(',')) return undefined
  const type = column.kind === 'field' ? column.field.type.name : undefined
  const listed =
    type === undefined ? !isTime(column) : ['select', 'multi_select', 'reference', 'user_reference'].includes(type)
  return listed ? { op: type === 'multi_select' ? 'Is' : 'One of', value: value.split(',') } : undefined
}

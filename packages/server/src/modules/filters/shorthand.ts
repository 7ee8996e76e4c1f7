import type { FilterValue, Operator } from '@kontor/contract'
import { isList } from '../../lib/guards.ts'
import { isTime, operatorsOf, type Column } from '../objects/index.ts'
import { isOption, listed } from './filter.ts'

/** The meaning of a bare value: an operator and its value. */
export type Shorthand = { readonly op: Operator; readonly value: FilterValue | readonly FilterValue[] }

const comparisons: Readonly<Record<string, readonly Operator[]>> = {
  '>=': ['Greater than or equal', 'Is on or after'],
  '<=': ['Less than or equal', 'Is on or before'],
  '>': ['Greater than', 'Is after'],
  '<': ['Less than', 'Is before'],
}

/**
 * Parses a bare value (docs/decisions/0034): `>5`, `!=x`, `*x*`, `a,b`, `null`; otherwise it means equality, which for
 * a collection is equality of a whole item. An option is that option, whatever it looks like, and a shorthand whose
 * operator the type does not have is taken literally. Of several values any will do; undefined where one of them is a
 * shorthand for something else than equality.
 */
export function parseShorthand(column: Column, given: FilterValue | readonly FilterValue[]): Shorthand | undefined {
  const allowed = operatorsOf(column)
  const op = allowed.includes('Is') ? 'Is' : 'Contains'
  if (!isList(given)) return isOption(column, given) ? { op, value: given } : parseOne(column, allowed, op, given)
  const several = given.map((one) => parseShorthand(column, one))
  const equal = several.filter((one) => one?.op === op || one?.op === 'One of')
  if (equal.length < several.length) return undefined
  return {
    op: takesList(column) && allowed.includes('One of') ? 'One of' : op,
    value: equal.flatMap((one) => one?.value ?? []),
  }
}

function parseOne(column: Column, allowed: readonly Operator[], op: Operator, value: FilterValue): Shorthand {
  if (typeof value !== 'string') return (value === null ? emptiness(allowed, 'null') : undefined) ?? { op, value }
  return (
    emptiness(allowed, value) ??
    comparison(allowed, value) ??
    negation(column, allowed, value) ??
    wildcard(column, allowed, value) ??
    list(column, allowed, value) ?? { op, value }
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

function negation(column: Column, allowed: readonly Operator[], value: string): Shorthand | undefined {
  const op = value.startsWith('!=')
    ? (['Is not', 'Does not contain'] as const).find((name) => allowed.includes(name))
    : undefined
  const denied = value.slice(2)
  return op && { op, value: isOption(column, denied) ? denied : denied.trim() }
}

/** Parses stars at the ends of a text; a star within it is literal. */
function wildcard(column: Column, allowed: readonly Operator[], value: string): Shorthand | undefined {
  if (column.kind !== 'field' || !['text', 'items'].includes(column.field.type.comparedAs)) return undefined
  const [, before = '', text = '', after = ''] = /^(\*?)(.+?)(\*?)$/s.exec(value) ?? []
  if (before === '' && after === '') return undefined
  const op = before === '' ? 'Starts with' : after === '' ? 'Ends with' : 'Contains'
  return allowed.includes('Is') && allowed.includes(op) ? { op, value: text } : undefined
}

function list(column: Column, allowed: readonly Operator[], value: string): Shorthand | undefined {
  if (!value.includes(',') || !takesList(column)) return undefined
  return { op: allowed.includes('One of') ? 'One of' : 'Is', value: listed(column, value) }
}

const listTypes = ['select', 'multi_select', 'reference', 'user_reference']

/** Tells whether a bare value with commas is a list. */
const takesList = (column: Column): boolean =>
  column.kind === 'field' ? listTypes.includes(column.field.type.name) : !isTime(column)

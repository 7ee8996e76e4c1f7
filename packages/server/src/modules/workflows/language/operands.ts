import type { FilterValue } from '@kontor/contract'
import { isList, isString } from '../../../lib/guards.ts'
import { lookUp, type RunScope } from './path.ts'
import { fill, soleVariable } from './template.ts'
import { partsOf, readable } from './values.ts'

type Value = FilterValue | readonly FilterValue[]

/** The value of a condition with its variables filled in, and those of them that had no value. */
export type Operands = { readonly value: Value; readonly unresolved: readonly string[] }

/**
 * Fills in the variables of a condition's value. A variable by itself that is null, missing or empty makes the
 * condition hold for nothing: only who writes null asks for emptiness (docs/decisions/0211).
 */
export function operandsIn(value: Value, scope: RunScope): Operands {
  if (isList(value)) {
    const items = value.map((item) => operandsIn(item, scope))
    return { value: items.flatMap((item) => item.value), unresolved: items.flatMap(({ unresolved }) => unresolved) }
  }
  const sole = isString(value) ? soleVariable(value) : undefined
  if (sole === undefined) return { value: isString(value) ? textOf(value, scope) : value, unresolved: [] }
  const parts = partsOf(lookUp(scope, sole))
  // A list, though of one: a comma within what a variable says separates nothing.
  return { value: parts.map(operandOf), unresolved: parts.length === 0 ? [sole] : [] }
}

const textOf = (text: string, scope: RunScope): string => String(fill(text, scope))

const operandOf = (part: unknown): FilterValue =>
  typeof part === 'number' || typeof part === 'boolean' ? part : (readable(part) ?? JSON.stringify(part))

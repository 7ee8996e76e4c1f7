import type { FilterValue } from '@kontor/contract'
import { isList, isString } from '../../lib/guards.ts'
import type { RunScope } from './path.ts'
import { type FillBudget, FilledTooMuch, fillText, readingOf, variablesIn } from './template.ts'
import { partsOf, readable } from './values.ts'
import { TemplateFault } from './variable-filters.ts'
import { soleVariable, type Variable } from './variable.ts'

/** Characters of a text with variables cost so many times as much as those of a text that is compared. */
const readingCost = 10

/** Characters that are shown of a text whose variables were not filled in. */
const shownMax = 100

type Value = FilterValue | readonly FilterValue[]

/** The value of a condition with its variables filled in, and the paths of those that had no value. */
export type Operands = { readonly value: Value; readonly unresolved: readonly string[] }

/**
 * Fills in the variables of a condition's value. A variable by itself that is null, missing or empty and has no default
 * makes the condition hold for nothing, and so does one whose filter cannot take its value: only an author who writes
 * null asks for emptiness (docs/decisions/0217). A text that costs more than the budget has left has none either.
 */
export function operandsIn(value: Value, scope: RunScope, zone: string, budget: FillBudget): Operands {
  if (isList(value)) {
    const items = value.map((item) => operandsIn(item, scope, zone, budget))
    return { value: items.flatMap((item) => item.value), unresolved: items.flatMap(({ unresolved }) => unresolved) }
  }
  if (!isString(value) || !value.includes('{{')) return { value, unresolved: [] }
  budget.left -= value.length * readingCost
  if (budget.left < 0) return { value: [], unresolved: [value.slice(0, shownMax)] }
  const sole = soleVariable(value)
  if (sole === undefined) return textIn(value, scope, zone, budget)
  const parts = partsIn(sole, scope, zone)
  // A list, though of one: a comma within what a variable says separates nothing.
  return { value: parts.map(operandOf), unresolved: parts.length === 0 ? [sole.path] : [] }
}

function textIn(text: string, scope: RunScope, zone: string, budget: FillBudget): Operands {
  try {
    return { value: String(fillText(text, scope, zone, budget)), unresolved: [] }
  } catch (error) {
    if (error instanceof TemplateFault || error instanceof FilledTooMuch)
      return { value: [], unresolved: variablesIn(text).map(({ path }) => path) }
    throw error
  }
}

function partsIn(variable: Variable, scope: RunScope, zone: string): readonly unknown[] {
  try {
    return partsOf(readingOf(variable, { scope, zone }).value)
  } catch (error) {
    if (error instanceof TemplateFault) return []
    throw error
  }
}

const operandOf = (part: unknown): FilterValue =>
  typeof part === 'number' || typeof part === 'boolean' ? part : (readable(part) ?? JSON.stringify(part))

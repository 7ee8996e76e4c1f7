import { changeOperators, type Change, type NodeFilter } from '@kontor/contract'
import { isOneOf } from '../../lib/guards.ts'
import { compares, conditionBudget, isTooMuch, operatorOf } from './compare.ts'
import { operandsIn, type Operands } from './operands.ts'
import { namesOfField, valueOfField } from './condition-field.ts'
import type { RunScope } from './path.ts'
import type { FillBudget } from './template.ts'
import type { When } from './values.ts'

/** The input of filters: values by path, and the change that began the run. */
export type Seen = { readonly scope: RunScope; readonly diff: readonly Change[]; readonly when: When }

/** The result of conditions, and the variables in them that had no value. */
export type Verdict = { readonly holds: boolean; readonly unresolved: readonly string[] }

/** Judges the filters of a node, which must all hold. */
export function judge(filters: readonly NodeFilter[], seen: Seen): Verdict {
  const budget = conditionBudget()
  const judged = filters.map(({ field, condition: { operator, value = null } }) => {
    const { value: operands, unresolved } = operandsIn(value, seen.scope, seen.when.zone, budget)
    const holds = unresolved.length === 0 && holdsFor(seen, { field, operator, value: operands }, budget)
    return { holds, unresolved }
  })
  return { holds: judged.every(({ holds }) => holds), unresolved: judged.flatMap(({ unresolved }) => unresolved) }
}

/** A condition whose variables are filled in. */
type Filled = { readonly field: string; readonly operator: string; readonly value: Operands['value'] }

/** Tells whether one condition holds; none does that costs more than the budget has left. */
export function holdsFor(seen: Seen, { field, operator, value }: Filled, budget: FillBudget): boolean {
  if (isOneOf(changeOperators, operator)) return changed({ field, operator, value }, seen, budget)
  const known = operatorOf(operator)
  if (known === undefined) return false
  const actual = valueOfField(field, seen.scope, seen.when.zone)
  return (
    actual !== undefined &&
    !isTooMuch(actual, value, budget) &&
    compares(actual, { operator: known, value, when: seen.when })
  )
}

const dataPath = ['trigger', 'state', 'event', 'object', 'data']

/** The path of a field's change: that of the field in the record, whatever is below it. */
export const changedField = (field: string): string | undefined => {
  const names = namesOfField(field)
  return dataPath.every((name, index) => names[index] === name) ? names[dataPath.length] : undefined
}

function changed({ field, operator, value }: Filled, { diff, when }: Seen, budget: FillBudget): boolean {
  const name = changedField(field)
  const change = diff.find(({ path }) => path[0] === name)
  if (change === undefined) return false
  if (operator === 'Changed') return true
  const actual = operator === 'Changed from' ? change.oldVal : change.val
  return !isTooMuch(actual, value, budget) && compares(actual, { operator: 'Is', value, when })
}

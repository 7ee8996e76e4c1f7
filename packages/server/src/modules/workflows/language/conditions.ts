import { changeOperators, type Change, type FilterValue, type NodeFilter } from '@kontor/contract'
import { isOneOf } from '../../../lib/guards.ts'
import { compares, operatorOf } from './compare.ts'
import { fieldPath, lookUp, type RunScope } from './path.ts'

/** What filters look at: values by path, and what the change that began the run was from and to. */
export type Seen = { readonly scope: RunScope; readonly diff: readonly Change[]; readonly now: number }

/** Tells whether all filters of a node hold. */
export const holds = (filters: readonly NodeFilter[], seen: Seen): boolean =>
  filters.every((filter) => holdsOne(filter, seen))

function holdsOne({ field, condition: { operator, value = null } }: NodeFilter, seen: Seen): boolean {
  if (isOneOf(changeOperators, operator)) return changed(field, operator, value, seen)
  const known = operatorOf(operator)
  return (
    known !== undefined && compares(lookUp(seen.scope, fieldPath(field)), { operator: known, value, now: seen.now })
  )
}

const dataPath = 'trigger.state.event.object.data.'

/** The path of a field's change: that of the field in the record, whatever is below it. */
export const changedField = (field: string): string | undefined => {
  const path = fieldPath(field)
  return path.startsWith(dataPath) ? path.slice(dataPath.length).split('.')[0] : undefined
}

function changed(
  field: string,
  operator: (typeof changeOperators)[number],
  value: FilterValue | readonly FilterValue[],
  { diff, now }: Seen,
): boolean {
  const name = changedField(field)
  const change = diff.find(({ path }) => path[0] === name)
  if (change === undefined) return false
  if (operator === 'Changed') return true
  return compares(operator === 'Changed from' ? change.oldVal : change.val, { operator: 'Is', value, now })
}

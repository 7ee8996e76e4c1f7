import { memberOf } from '../../../lib/guards.ts'
import { seesAll } from '../../access/index.ts'
import type { KeptTotals } from '../../indexes/index.ts'
import type { ResolvedFilter } from '../../filters/index.ts'
import type { ListQuery } from '../list-query.ts'
import type { Total } from './total.ts'

/**
 * A total that is counted once as long as nothing happens in the workspace. Each change of a record's own values comes
 * with an event; what a caller may see, and what stands for users, changes without one.
 */
export const keptTotal = <T extends Pick<Total, 'count'>>(kept: KeptTotals, total: T): T => ({
  ...total,
  count(tx, query) {
    const list = keyOf(query)
    if (list === undefined) return total.count(tx, query)
    const { workspaceId, object } = query
    return kept.total(tx, { workspaceId, object, list }, () => total.count(tx, query))
  },
})

/** Tells whether the total of a list is kept, though perhaps not up to date. */
export function isKept(kept: KeptTotals, query: ListQuery): boolean {
  const list = keyOf(query)
  return list !== undefined && kept.has(query.object, list)
}

/** Returns the key of the records of a list in its object; undefined if its total cannot be kept. */
function keyOf({ workspaceId, object, principal, filter, idSet, countMax }: ListQuery): string | undefined {
  if (filter === undefined || idSet !== undefined || countMax !== undefined) return undefined
  if (object.readOnly || !seesAll(principal) || !isOfOwnValues(filter)) return undefined
  return JSON.stringify([workspaceId, filter], (name, value: unknown) =>
    name === 'column' ? memberOf(value, 'name') : value,
  )
}

/** Tells whether a filter asks for values of the records themselves, and for no other records. */
function isOfOwnValues(filter: ResolvedFilter): boolean {
  if ('and' in filter) return filter.and.every(isOfOwnValues)
  if ('or' in filter) return filter.or.every(isOfOwnValues)
  if ('not' in filter) return isOfOwnValues(filter.not)
  if (!('column' in filter)) return false
  const { column, steps } = filter
  return steps.length === 0 && (column.kind === 'system' || column.field.relationship === undefined)
}

import type { NodeFilter } from '@kontor/contract'
import { diffIn } from '../language/changes.ts'
import { judge } from '../language/conditions.ts'
import type { RunRow } from './store.ts'

/** Tells whether the filters of a trigger or an exit hold for the state of an event. */
export function filtersHold(filters: readonly NodeFilter[], state: RunRow['trigger_state'], now: number): boolean {
  const scope = { trigger: { state } }
  return judge(filters, { scope, diff: diffIn(scope), now }).holds
}

import type { NodeFilter } from '@kontor/contract'
import { diffIn } from '../templates/index.ts'
import { judge } from '../templates/index.ts'
import type { LocalTime } from '../settings/index.ts'
import type { RunRow } from './store.ts'

/** When filters are looked at, and how to find by which clocks the workspace goes, which few ask for. */
type Looking = { readonly now: number; readonly localTime: () => Promise<LocalTime> }

/** Tells whether the filters of a trigger or an exit hold for the state of an event. */
export async function filtersHold(
  filters: readonly NodeFilter[],
  state: RunRow['trigger_state'],
  { now, localTime }: Looking,
): Promise<boolean> {
  if (filters.length === 0) return true
  const scope = { trigger: { state } }
  return judge(filters, { scope, diff: diffIn(scope), when: { now, ...(await localTime()) } }).holds
}

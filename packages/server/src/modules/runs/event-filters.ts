import type { NodeFilter } from '@kontor/contract'
import { diffIn } from '../templates/index.ts'
import { judge } from '../templates/index.ts'
import type { RunRow } from './store.ts'

/** When filters are looked at, and how to find the time zone of the workspace, which few ask for. */
type Looking = { readonly now: number; readonly timeZone: () => Promise<string> }

/** Tells whether the filters of a trigger or an exit hold for the state of an event. */
export async function filtersHold(
  filters: readonly NodeFilter[],
  state: RunRow['trigger_state'],
  { now, timeZone }: Looking,
): Promise<boolean> {
  if (filters.length === 0) return true
  const scope = { trigger: { state } }
  return judge(filters, { scope, diff: diffIn(scope), when: { now, zone: await timeZone() } }).holds
}

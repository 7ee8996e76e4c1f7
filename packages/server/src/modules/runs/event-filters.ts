import type { NodeFilter, Suppression } from '@kontor/contract'
import { diffIn, judge } from '../templates/index.ts'
import type { LocalTime } from '../settings/index.ts'
import type { RunRow } from './store.ts'
import { senderOf, type Chain } from '../../kernel/actor.ts'
import type { Workflow } from '../definitions/index.ts'

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

/** The default number of workflows that may trigger one another in a chain. */
const maxDepthByDefault = 5

/** Returns how far along a chain a run is that a call begins, at least some depth, and why it may not begin, if so. */
export function placeInChain(
  chain: Chain | undefined,
  { graph }: Workflow,
  least = 0,
): { readonly depth: number; readonly suppressed?: Suppression } {
  const depth = Math.max(least, chain === undefined ? 0 : chain.depth + 1)
  const isTooDeep = depth > (graph.run_limits.max_depth ?? maxDepthByDefault)
  return { depth, ...(isTooDeep && { suppressed: 'max_depth' }) }
}

/** Why a chain ends before a workflow: it does not trigger itself, and others not for ever. */
export function suppressedBy(chain: Chain | undefined, { row, graph }: Workflow): Suppression | undefined {
  if (chain === undefined) return undefined
  if (chain.sender === senderOf(row.id)) return 'own_write'
  return chain.depth >= (graph.run_limits.max_depth ?? maxDepthByDefault) ? 'max_depth' : undefined
}

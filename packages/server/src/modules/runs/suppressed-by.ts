import type { Suppression } from '@kontor/contract'
import { senderOf, type Chain } from '../../kernel/actor.ts'
import type { Workflow } from '../definitions/index.ts'
import { maxDepthByDefault } from './limits.ts'

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

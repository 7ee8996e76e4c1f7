import type { Suppression } from '@kontor/contract'
import { senderOf, type Chain } from '../../kernel/actor.ts'
import type { Workflow } from '../definitions/index.ts'
import { maxDepthByDefault } from './limits.ts'

/** Why a chain ends before a workflow: it does not trigger itself, and others not for ever. */
export function suppressedBy(chain: Chain | undefined, { row, graph }: Workflow): Suppression | undefined {
  if (chain === undefined) return undefined
  if (chain.sender === senderOf(row.id)) return 'own_write'
  return chain.depth >= (graph.run_limits.max_depth ?? maxDepthByDefault) ? 'max_depth' : undefined
}

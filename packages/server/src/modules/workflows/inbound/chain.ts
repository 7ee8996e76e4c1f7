import type { Suppression } from '@kontor/contract'
import { causeOf, type Actor, type Cause } from '../../../kernel/actor.ts'
import { hashSecret } from '../../../kernel/ids.ts'
import type { ArrivalHeaders } from '../../../kernel/implement.ts'
import type { KeyRing } from '../../../lib/key-ring.ts'
import { isString } from '../../../lib/guards.ts'
import type { Workflow } from '../definition/store.ts'
import { maxDepthByDefault } from '../runs/limits.ts'

/**
 * Says, in requests of workflows and of webhooks, which workflow they come of and how many have triggered one another
 * so far, so that workflows that send to each other come to an end.
 */
export const chainHeader = 'kontor-workflow-chain'

const purpose = 'workflow.chain'

/** The workflow before in a chain, and how many there have been. */
type Chain = { readonly sender: string; readonly depth: number }

/** Made of its id, which may be the address of a workflow and so is for no receiver to know. */
const fingerprint = hashSecret

/** The header of a request that tells what a run of a workflow has done. It is signed: no one else can write one. */
export const causeHeaders =
  (keys: KeyRing) =>
  (cause: Pick<Cause, 'workflowId' | 'depth'> | undefined): Readonly<Record<string, string>> => {
    if (cause === undefined) return {}
    return { [chainHeader]: keys.sign(Buffer.from(`${cause.depth} ${fingerprint(cause.workflowId)}`), purpose) }
  }

/** The header of a request that the run of a workflow sends. */
export const chainHeaders =
  (keys: KeyRing) =>
  (actor: Actor): Readonly<Record<string, string>> =>
    causeHeaders(keys)(causeOf(actor))

/** The chain that a request goes on with; undefined where it begins one, or says what we have not signed. */
export function chainIn(keys: KeyRing, headers: ArrivalHeaders): Chain | undefined {
  const given = headers[chainHeader]
  const content = isString(given) ? keys.verify(given, purpose) : undefined
  if (content === undefined) return undefined
  const [depth, sender = ''] = content.toString().split(' ')
  return { sender, depth: Number(depth) }
}

/** Why a chain ends before a workflow: it does not trigger itself, and others not for ever. */
export function suppressedBy(chain: Chain | undefined, { row, graph }: Workflow): Suppression | undefined {
  if (chain === undefined) return undefined
  if (chain.sender === fingerprint(row.id)) return 'own_write'
  return chain.depth >= (graph.run_limits.max_depth ?? maxDepthByDefault) ? 'max_depth' : undefined
}

import { senderOf, type Cause, type Chain } from '../../../kernel/actor.ts'

/** The workflow that did what a delivery is about, as a delivery stores it: before chains, by its id. */
export type CausedBy = Chain | Pick<Cause, 'workflowId' | 'depth'>

/** Returns the chain that a delivery goes on with. */
export const chainOfCause = (cause: CausedBy | null): Chain | undefined =>
  cause === null ? undefined : 'sender' in cause ? cause : { sender: senderOf(cause.workflowId), depth: cause.depth }

import { positionPattern } from '@kontor/contract'
import type { OperationReads } from '../../db/tx.ts'
import { credentialOf, type Actor, type Membership } from '../actor.ts'
import type { Call } from '../calls.ts'
import { meteredReads } from './metered.ts'
import type { Incoming, Runtime } from './runtime.ts'

type Caller = { readonly actor: Actor; readonly workspace: Membership }

const positionShape = new RegExp(positionPattern)

/**
 * Returns the reads of a call in a workspace: those of a replica where its operation may be served by one
 * (docs/decisions/0388). Work of the server itself goes on in other processes, and reads from the primary; so does a
 * call with a position that is none of ours. A replica with other schemas than the call goes by does not serve it.
 */
export function readsOf(
  { database, schemaEpoch }: Pick<Runtime, 'database' | 'schemaEpoch'>,
  { endpoint, usage }: Call,
  { surface, position }: Incoming,
  { actor, workspace: { workspaceId, schemaEpoch: expected } }: Caller,
): OperationReads {
  const mayBeBehind =
    endpoint.replica === true && surface !== 'server' && (position === undefined || positionShape.test(position))
  const reads = mayBeBehind
    ? database.replicas?.reads({
        credential: credentialOf(actor),
        position,
        isFit: async (tx) => (await schemaEpoch(tx, workspaceId)) === expected,
      })
    : undefined
  return {
    tx: meteredReads(reads?.tx ?? database.reader, usage, workspaceId),
    leave: () => reads?.leave(),
  }
}

/** Returns the watermarks of a call, after which the primary serves its reads. */
export const watermarkIn =
  ({ changeTimes }: Pick<Runtime, 'changeTimes'>, workspaceId: string, { leave }: Pick<OperationReads, 'leave'>) =>
  async (object: string, known?: number): Promise<number> => {
    leave()
    return known ?? changeTimes.watermark(workspaceId, object)
  }

import type { Tx } from '../../db/tx.ts'
import type { Call } from '../calls.ts'
import type { WorkspaceReadContext, WriteContext } from '../implement.ts'
import { assertEmits } from './exact.ts'
import type { Runtime } from './runtime.ts'
import type { Timed } from './timed.ts'

/** The part of a write's context that every attempt shares. */
export type WriteBase = Omit<WorkspaceReadContext<'forbidden'>, 'tx' | 'schemas' | Timed>

type WriteFacts = WriteBase &
  Pick<WriteContext, Timed | 'schemas' | 'clockNow' | 'isHopeful' | 'refusedItems'> & {
    readonly ifMatch: readonly number[] | undefined
    readonly call: Call
    readonly silent: boolean
  }

/** The context of a handler that changes something, in one attempt's transaction. */
export function writeContext(
  runtime: Runtime,
  { call, silent, ...facts }: WriteFacts,
  tx: Tx,
  afterCommit: (() => void)[],
): WriteContext {
  const { workspace, actor, now } = facts
  return {
    ...facts,
    tx,
    newRecordId: () => runtime.newRecordId(now),
    newSecretId: () => runtime.newSecretId(),
    async emit(events) {
      if (runtime.checkAnswers) assertEmits(call, events)
      await runtime.writeEvents(tx, { workspaceId: workspace.workspaceId, actor, silent, now }, events)
    },
    expectEvents: (recordIds) => runtime.expectEvents(tx, { workspaceId: workspace.workspaceId, now }, recordIds),
    afterCommit: (work) => afterCommit.push(work),
    async attempt(work) {
      const own: (() => void)[] = []
      const value = await tx.attempt((inner) =>
        work(writeContext(runtime, { call, silent, ...facts, isHopeful: false }, inner, own)),
      )
      afterCommit.push(...own)
      return value
    },
  }
}

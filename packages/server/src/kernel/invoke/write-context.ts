import type { Tx } from '../../db/tx.ts'
import type { Call } from '../calls.ts'
import type { DomainEvent } from '../events.ts'
import type { WorkspaceReadContext, WriteContext } from '../implement.ts'
import { assertEmits } from './exact.ts'
import type { Runtime } from './runtime.ts'
import type { Timed } from './read.ts'

/** The part of a write's context that every attempt shares. */
export type WriteBase = Omit<WorkspaceReadContext<'forbidden'>, 'tx' | 'schemas' | Timed>

/** Effects of a call besides its writes. */
export type WriteEffects = {
  readonly afterCommit: (() => void)[]
  readonly events: DomainEvent[]
}

type WriteFacts = WriteBase &
  Pick<WriteContext, Timed | 'schemas' | 'clockNow' | 'isHopeful' | 'refusedItems'> & {
    readonly ifMatch: readonly number[] | undefined
    /** undefined for what a call brings with it: its events are none of the operation's own. */
    readonly call: Call | undefined
    readonly silent: boolean
  }

/** The context of a handler that changes something, in one attempt's transaction. */
export function writeContext(
  runtime: Runtime,
  { call, silent, ...facts }: WriteFacts,
  tx: Tx,
  effects: WriteEffects,
): WriteContext {
  const { workspace, actor, now } = facts
  return {
    ...facts,
    tx,
    newRecordId: () => runtime.newRecordId(now),
    newSecretId: () => runtime.newSecretId(),
    async emit(events) {
      if (runtime.checkAnswers && call !== undefined) assertEmits(call, events)
      await runtime.writeEvents(tx, { workspaceId: workspace.workspaceId, actor, silent, now }, events)
      effects.events.push(...events)
    },
    expectEvents: (recordIds) => runtime.expectEvents(tx, { workspaceId: workspace.workspaceId, now }, recordIds),
    afterCommit: (work) => effects.afterCommit.push(work),
    async attempt(work) {
      const own: WriteEffects = { afterCommit: [], events: [] }
      const value = await tx.attempt((inner) =>
        work(writeContext(runtime, { call, silent, ...facts, isHopeful: false }, inner, own)),
      )
      effects.afterCommit.push(...own.afterCommit)
      effects.events.push(...own.events)
      return value
    },
  }
}

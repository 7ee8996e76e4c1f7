import type { Tx } from '../../db/tx.ts'
import type { WorkspaceReadContext, WriteContext } from '../implement.ts'
import type { Runtime } from './runtime.ts'
import type { SchemaCheck } from './schema-check.ts'
import type { Timed } from './timed.ts'

/** The part of a write's context that every attempt shares. */
export type WriteBase = Omit<WorkspaceReadContext, 'tx' | 'schemas' | Timed>

type WriteFacts = WriteBase &
  Pick<WriteContext, Timed | 'schemas' | 'clockNow' | 'isHopeful'> & {
    readonly ifMatch: readonly number[] | undefined
    readonly silent: boolean
    readonly check: SchemaCheck
  }

/** The context of a handler that changes something, in one attempt's transaction. */
export function writeContext(
  runtime: Runtime,
  { silent, check, ...facts }: WriteFacts,
  tx: Tx,
  afterCommit: (() => void)[],
): WriteContext {
  const { workspace, actor, now } = facts
  return {
    ...facts,
    tx,
    newRecordId: () => runtime.newRecordId(now),
    emit: (events) => runtime.writeEvents(tx, { workspaceId: workspace.workspaceId, actor, silent, now }, events),
    expectEvents: (recordIds) => runtime.expectEvents(tx, { workspaceId: workspace.workspaceId, now }, recordIds),
    assertSchemas: () => check.assertNow(),
    afterCommit: (work) => afterCommit.push(work),
    async attempt(work) {
      const own: (() => void)[] = []
      const value = await tx.attempt((inner) =>
        work(writeContext(runtime, { silent, check, ...facts, isHopeful: false }, inner, own)),
      )
      afterCommit.push(...own)
      return value
    },
  }
}

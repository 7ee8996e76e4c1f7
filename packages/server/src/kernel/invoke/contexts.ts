import { positionPattern } from '@kontor/contract'
import { credentialOf, type Actor, type Membership } from '../actor.ts'
import type { Call } from '../calls.ts'
import { Failure } from '../errors.ts'
import type { StoredAnswer } from '../idempotency.ts'
import type { Answer, ReadContext, WorkspaceReadContext, WriteContext, StreamContext } from '../implement.ts'
import type { Runtime, Incoming } from './runtime.ts'
import type { OperationReads, ReadTx, Tx } from '../../db/tx.ts'
import type { DomainEvent } from '../events.ts'
import { assertEmits } from './exact.ts'
import { enterAgain } from './identify.ts'
import { meteredReads } from './metered.ts'
import { pinSchemas, trustingSchemas, withFreshSchemas } from './schema-check.ts'

/** Members of a context that come from the clock. */
export type Timed = 'now' | 'newId'

/** One instant for the whole call, and ids that begin with it. */
export const timed = (runtime: Runtime, now: number): Pick<ReadContext, Timed> => ({
  now,
  newId: () => runtime.newId(now),
})

export const fail: ReadContext<'forbidden'>['fail'] = (code, fault) => new Failure({ code, ...fault })

/** The status, body and headers of what a handler returned. */
export function answer({ endpoint }: Call, { body, version, status }: Answer<unknown>): StoredAnswer {
  return {
    status: status ?? endpoint.status ?? 200,
    body,
    headers: version === undefined ? {} : { ETag: `"${version}"` },
  }
}

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

/** The caller, and the reads of the primary. */
type Caller = { readonly actor: Actor; readonly workspace: Membership; readonly tx: ReadTx }

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
  { actor, workspace: { workspaceId, schemaEpoch: expected }, tx: primary }: Caller,
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
    tx: reads === undefined ? primary : meteredReads(reads.tx, usage, workspaceId),
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

type Base = Omit<ReadContext, Timed | 'actor'>

/** Streams read from the primary. */
const atPrimary = { leave: () => undefined }

/** Always false: later events of a stream are read again by newer schemas. */
const wholeAlways = () => false

/** Returns the context of a stream: that of a reading handler, with the members of streams. */
export const streamContext = (
  runtime: Runtime,
  { endpoint }: Call,
  incoming: Incoming,
  base: Base,
): Pick<StreamContext, 'lastEventId' | 'again'> => ({
  lastEventId: incoming.lastEventId,
  async again(work) {
    const actor = await runtime.authenticate(incoming.authorization)
    const enter = () => enterAgain(runtime, endpoint, actor, incoming)
    return withFreshSchemas(
      runtime,
      await enter(),
      enter,
      (workspace) =>
        trustingSchemas(runtime, base.tx, workspace, wholeAlways, () =>
          work({
            ...base,
            ...timed(runtime, runtime.clock.now()),
            actor,
            workspace,
            schemas: pinSchemas(runtime, workspace),
            watermark: watermarkIn(runtime, workspace.workspaceId, atPrimary),
          }),
        ),
      // Lists that are read because of an event in a stream show at least that event.
    ).finally(() => runtime.database.replicas?.note(credentialOf(actor), undefined))
  },
})

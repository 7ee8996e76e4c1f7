import { nextBatchSize } from '../../../engine/batches.ts'
import type { JobContext, JobOutcome } from '../../../engine/types.ts'
import type { ChangeTimes } from '../../../kernel/change-times.ts'
import type { DomainEvent } from '../../../kernel/events.ts'
import type { Actor } from '../../../kernel/actor.ts'
import type { Tx } from '../../../db/tx.ts'
import { readSchemas, type Clearing, type SchemaSet } from '../../schemas/index.ts'
import { effectsOf, type Effects } from '../change/effects.ts'
import type { FollowSchemas } from '../put-in-force.ts'
import { listTargets } from '../store.ts'
import type { ChangePayload } from '../change/payload.ts'

export type StepOutcome = JobOutcome<ChangePayload>

/** Lets requests through between two batches. */
const pauseMs = 2

export const again = (payload: ChangePayload, inMs = pauseMs): StepOutcome => ({ state: 'again', inMs, payload })

const rowsRange = { min: 50, max: 1000 }

/** Continues with a batch whose size follows from how long this one took. */
export const onward = (payload: ChangePayload, tookMs: number): StepOutcome =>
  again({ ...payload, rows: nextBatchSize(payload.rows, tookMs, rowsRange) })

/** The services that the steps of a change need. */
export type ChangeServices = Pick<
  StepContext,
  'writeEvents' | 'followSchemas' | 'forgetMemberships' | 'changeMemberships' | 'changeTimes'
>

type WriteEvents = (
  tx: Tx,
  source: { workspaceId: string; actor: Actor; silent: boolean; now: number },
  events: readonly DomainEvent[],
) => Promise<void>

/** The context of a step of a change. */
export type StepContext = {
  readonly job: JobContext
  readonly payload: ChangePayload
  readonly set: SchemaSet
  /** By object, in a fixed order; empty if the change has ended, for example because it was cancelled. */
  readonly effects: readonly Effects[]
  /** The options being cleared, by object. */
  readonly clearing: ReadonlyMap<string, Clearing>
  readonly writeEvents: WriteEvents
  readonly followSchemas: FollowSchemas
  readonly changeTimes: ChangeTimes
  readonly forgetMemberships: () => void
  /** Runs work that puts schemas in force, which memberships lead to. */
  readonly changeMemberships: <T>(work: () => Promise<T>) => Promise<T>
}

export async function stepContext(
  job: JobContext,
  payload: ChangePayload,
  services: ChangeServices,
): Promise<StepContext> {
  const set = await readSchemas(job.database.reader, job.workspaceId)
  const targets = await listTargets(job.database.reader, job.workspaceId, payload.taskId, set.schemas)
  return {
    job,
    payload,
    set,
    effects: targets.map(effectsOf),
    clearing: new Map(targets.map(({ name, clearing }) => [name, clearing])),
    ...services,
  }
}

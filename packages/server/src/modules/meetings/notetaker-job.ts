import { z } from 'zod'
import { enqueue } from '../../engine/store.ts'
import type { JobContext, JobKind, JobOutcome, JobType } from '../../engine/types.ts'
import type { Tx } from '../../db/tx.ts'
import { actorId, type Actor } from '../../kernel/actor.ts'
import type { DomainEvent } from '../../kernel/events.ts'
import { newId } from '../../kernel/ids.ts'
import type { SchemaSets } from '../schemas/index.ts'
import { planOf, type Notetaker, type NotetakerAnswer, type NotetakerPlan } from './notetaker.ts'
import { objectName } from './recordings.ts'
import { lockRecording, updateOutcome } from './store.ts'

const notetakerType = {
  name: 'meetings.notetaker',
  payload: z.object({
    meeting_id: z.string(),
    created_by: z.string(),
    /** The order that was not taken, and how often. */
    order: z.string().nullable(),
    tries: z.int(),
  }),
} satisfies JobType<unknown>

type Payload = z.infer<typeof notetakerType.payload>

type Source = { readonly workspaceId: string; readonly actor: Actor; readonly now: number }

/** Leaves it to a job to note what is wanted of meetings, in the transaction of the change that concerns it. */
export async function tellNotetaker(
  tx: Tx,
  { workspaceId, actor, now }: Source,
  events: readonly DomainEvent[],
): Promise<void> {
  const meetings = new Set(events.filter(concernsNotetaker).map(({ recordId }) => recordId))
  for (const id of meetings)
    await enqueue<Payload>(tx, {
      workspaceId,
      kind: notetakerType,
      payload: { meeting_id: id, created_by: actorId(actor), order: null, tries: 0 },
      now,
      key: id,
    })
}

const concerning: ReadonlySet<unknown> = new Set(['recording_enabled', 'start', 'end'])

function concernsNotetaker({ object, type, payload }: DomainEvent): boolean {
  if (object !== objectName) return false
  if (type === 'record.created') return payload.diff.some(({ path, val }) => path[0] === 'recording_enabled' && val)
  if ('diff' in payload) return payload.diff.some(({ path }) => concerning.has(path[0]))
  return type === 'record.deleted' || type === 'record.restored'
}

/** After each failure; a bot that comes hours late is of no use. */
const waitsMs = [5, 30, 120, 600, 1800, 3600, 7200].map((seconds) => seconds * 1000)

type Services = { readonly notetaker: Notetaker | undefined; readonly schemaSets: SchemaSets }

/** Notes what is wanted of a meeting now, and tells the notetaker until it has taken it (docs/decisions/0134). */
export const notetakerJob = ({ notetaker, schemaSets }: Services): JobKind<Payload> => ({
  ...notetakerType,
  async run(context, payload) {
    const { database, workspaceId, clock, callSignal } = context
    const wanted = {
      workspaceId,
      meetingId: payload.meeting_id,
      createdBy: payload.created_by,
      now: clock.now(),
      newId: () => newId(clock.now()),
    }
    const plan = await database.write((tx) => planOf(tx, schemaSets, wanted))
    if (plan === undefined) return { state: 'done' }
    if (notetaker === undefined) return keepWish(context, plan)
    const answer = await notetaker.tell(plan.order, callSignal)
    return settle(context, payload, plan, answer)
  },
})

/** Where there is no one to tell, a recording that is wanted stays requested, and one that is not is cancelled. */
function keepWish(context: JobContext, { order, row: planned }: NotetakerPlan) {
  return context.conclude(async (tx): Promise<JobOutcome<Payload>> => {
    const row = order.type === 'recording.stop' ? await lockRecording(tx, planned) : undefined
    if (row !== undefined && row.state !== 'done')
      await updateOutcome(tx, { ...row, state: 'cancelled', told: null, updated_at: context.clock.now() })
    return { state: 'done' }
  })
}

function settle(context: JobContext, payload: Payload, plan: NotetakerPlan, answer: NotetakerAnswer) {
  const { order, row: planned, told } = plan
  const tries = (payload.order === order.id ? payload.tries : 0) + 1
  const waitMs = waitsMs[tries - 1]
  const isOver = answer.isTaken || answer.isLasting || waitMs === undefined
  return context.conclude(async (tx): Promise<JobOutcome<Payload>> => {
    // Its recording may arrive before its response.
    const row = await lockRecording(tx, planned)
    if (row !== undefined) {
      const isDone = row.state === 'done'
      const taken = order.type === 'recording.start' ? 'scheduled' : 'cancelled'
      await updateOutcome(tx, {
        ...row,
        state: isDone ? 'done' : !isOver ? row.state : answer.isTaken ? taken : 'failed',
        detail: isDone || answer.isTaken ? null : answer.detail,
        told: isOver ? told : row.told,
        updated_at: context.clock.now(),
      })
    }
    if (isOver) return { state: 'done' }
    return { state: 'again', inMs: Math.max(waitMs, answer.waitMs), payload: { ...payload, order: order.id, tries } }
  })
}

import type { Tx } from '../../../db/tx.ts'
import { lockTask, updateTask } from '../../async-tasks/index.ts'
import { violationsOf } from '../../fields/index.ts'
import { lockSchemas, raiseEpoch } from '../../schemas/index.ts'
import type { Effects } from '../change/effects.ts'
import { updateTargets } from '../store.ts'
import { toTaskErrors, withFaults } from './findings.ts'
import type { ChangePayload, Finding } from '../change/payload.ts'
import { lookOn } from './records.ts'
import { again, onward, type StepOutcome, type StepContext } from './state.ts'
import { withdrawNow } from './withdraw.ts'

/**
 * Checks whether every record is valid under the new schema, one batch at a time and without a lock: some milliseconds
 * of this process.
 */
export async function check(context: StepContext): Promise<StepOutcome> {
  const { job, payload } = context
  const turn = turnOf(context, ({ evolution }) => evolution.checked.length > 0)
  if (turn === undefined)
    return payload.findings.length > 0 ? fail(context) : again({ ...payload, step: 'claim', place: null }, 0)
  const { effects, index } = turn
  const { records, next } = await lookOn(
    job.database.reader,
    job.workspaceId,
    { object: effects.after.key, index, place: payload.place },
    payload.rows,
  )
  const began = performance.now()
  const faults = records.flatMap(({ id, data }) =>
    violationsOf(effects.evolution, data).map(({ field, detail }) => ({
      object: effects.target.name,
      field,
      detail,
      conflict: false,
      recordId: id,
    })),
  )
  return goOn(context, {
    next,
    rows: records.length,
    tookMs: performance.now() - began,
    findings: withFaults(payload.findings, faults),
  })
}

type Turn = { readonly effects: Effects; readonly index: number }

/** The object whose records are being checked; undefined if all were. */
export function turnOf(
  { effects, payload: { place } }: StepContext,
  isMeant: (effects: Effects) => boolean,
): Turn | undefined {
  const from = place?.index ?? 0
  const index = effects.findIndex((one, at) => at >= from && isMeant(one))
  const one = effects[index]
  return one && { effects: one, index }
}

type Progress = {
  readonly next: ChangePayload['place']
  readonly rows: number
  readonly tookMs: number
  readonly findings: Finding[]
}

/**
 * Stores the progress. With the first fault the change has failed: writers need not satisfy it any more, but all faults
 * are counted.
 */
async function goOn(
  { job, payload, forgetMemberships }: StepContext,
  { next, rows, tookMs, findings }: Progress,
): Promise<StepOutcome> {
  const lost = findings.length > 0 && payload.findings.length === 0
  const outcome = await job.conclude<StepOutcome>(async (tx) => {
    if (lost) await unannounce(tx, job.workspaceId, payload.taskId)
    await addProgress(tx, job.workspaceId, payload.taskId, rows, job.clock.now())
    return onward({ ...payload, findings, place: next }, tookMs)
  })
  if (lost) forgetMemberships()
  return outcome
}

async function unannounce(tx: Tx, workspaceId: string, taskId: string): Promise<void> {
  await lockSchemas(tx, workspaceId)
  await updateTargets(tx, workspaceId, taskId, 'waiting')
  await raiseEpoch(tx, workspaceId)
}

export async function addProgress(
  tx: Tx,
  workspaceId: string,
  taskId: string,
  rows: number,
  now: number,
): Promise<void> {
  const task = await lockTask(tx, workspaceId, taskId)
  if (task === undefined || task.failed_at !== null) return
  // Records are created in the meantime, so there may be more than were counted.
  const progress = Math.min(task.progress + rows, Math.max(0, (task.total ?? 1) - 1))
  if (progress !== task.progress) await updateTask(tx, workspaceId, taskId, now, { progress })
}

/** Withdraws the change with all faults that were found. */
export async function fail({ job, payload, forgetMemberships }: StepContext): Promise<StepOutcome> {
  const code = payload.findings.every(({ conflict }) => conflict) ? 'data_conflict' : 'validation_failed'
  const outcome = await job.conclude<StepOutcome>(async (tx) => {
    await withdrawNow(
      tx,
      job.workspaceId,
      payload.taskId,
      { code, errors: toTaskErrors(payload.findings) },
      job.clock.now(),
    )
    return { state: 'done' }
  })
  forgetMemberships()
  return outcome
}

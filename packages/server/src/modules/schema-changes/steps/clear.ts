import { isDeepStrictEqual } from 'node:util'
import { defined } from '../../../lib/guards.ts'
import { listUnderWay } from '../../../db/older-transactions.ts'
import type { Tx } from '../../../db/tx.ts'
import { unnarrowed } from '../../../kernel/actor.ts'
import { newId, newRecordId, newSecretId } from '../../../kernel/ids.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { Failure } from '../../../kernel/errors.ts'
import { PinnedSchemas } from '../../../kernel/invoke/schema-check.ts'
import { lockTask, updateTask } from '../../async-tasks/index.ts'
import { applyUpdates } from '../../records/index.ts'
import { compileObject, objectAccess, lockRecords, type ObjectModel } from '../../objects/index.ts'
import { withoutOptions, type Field, type RecordData } from '../../fields/index.ts'
import { lockSchemas, raiseEpoch, type Clearing } from '../../schemas/index.ts'
import { wakeQueued } from '../queue/store.ts'
import { deleteTargets } from '../store.ts'
import { addProgress } from './check.ts'
import { lookOn } from './records.ts'
import { again, onward, type StepOutcome, type StepContext } from './state.ts'

const lookAgainMs = 20

/**
 * Removes deleted options from the records, with a version and an activity each. Answers already hide them. A
 * transaction that began before the change was put in force may still write one, so this step waits for it.
 */
export async function clear(context: StepContext): Promise<StepOutcome> {
  const { job, payload, clearing } = context
  if (payload.waiting === null || payload.waiting.length > 0) {
    const waiting = await listUnderWay(job.database.reader, payload.waiting ?? undefined)
    return again({ ...payload, waiting }, waiting.length > 0 ? lookAgainMs : 0)
  }
  const [first] = clearing
  if (first === undefined) return complete(context)
  const [name, options] = first
  return (payload.place?.index ?? 0) > 0 ? endObject(context, name) : clearObject(context, name, options)
}

async function clearObject(context: StepContext, name: string, options: Clearing): Promise<StepOutcome> {
  const { job, payload, set } = context
  const object = compileObject(defined(set.schemas.get(name)))
  const { records, next } = await lookOn(
    job.database.reader,
    job.workspaceId,
    { object: object.key, index: 0, place: payload.place },
    payload.rows,
  )
  const fields = [...object.fields.values()].filter(({ key }) => options[key] !== undefined)
  const meant = records.filter(({ data }) => fields.some((field) => isCleared(field, data, options)))
  return job.conclude<StepOutcome>(async (tx) => {
    const began = performance.now()
    if (meant.length > 0)
      await clearRecords(
        context,
        tx,
        object,
        fields,
        options,
        meant.map(({ id }) => id),
      )
    await addProgress(tx, job.workspaceId, payload.taskId, records.length, job.clock.now())
    return onward({ ...payload, place: next }, performance.now() - began)
  })
}

/** All of the object's records are done, so the removed options no longer need to be listed. */
async function endObject({ job, payload, forgetMemberships }: StepContext, name: string): Promise<StepOutcome> {
  const outcome = await job.conclude<StepOutcome>(async (tx) => {
    await lockSchemas(tx, job.workspaceId)
    await deleteTargets(tx, job.workspaceId, payload.taskId, [name])
    await raiseEpoch(tx, job.workspaceId)
    await wakeQueued(tx, job.workspaceId, job.clock.now())
    return again({ ...payload, place: null }, 0)
  })
  forgetMemberships()
  return outcome
}

const cleared = (field: Field, data: RecordData, options: Clearing): unknown =>
  withoutOptions(field, data[field.key], options[field.key] ?? []) ?? null

const isCleared = (field: Field, data: RecordData, options: Clearing): boolean =>
  !isDeepStrictEqual(cleared(field, data, options), data[field.key] ?? null)

async function clearRecords(
  context: StepContext,
  tx: Tx,
  object: ObjectModel,
  fields: readonly Field[],
  options: Clearing,
  ids: readonly string[],
): Promise<void> {
  const rows = await lockRecords(tx, context.job.workspaceId, object.key, ids, 'change')
  const updates = rows.map((row) => ({
    row,
    values: new Map(
      fields
        .filter((field) => row.data[field.key] !== undefined)
        .map((field) => [field, cleared(field, row.data, options)]),
    ),
    strategies: new Map(),
    path: [],
  }))
  const clockNow = context.job.clock.now()
  const { now, confirmed } = await context.changeTimes.begin(tx, context.job.workspaceId, clockNow)
  const ctx = writeContext(context, tx, { now, clockNow })
  await applyUpdates(ctx, objectAccess(ctx, object, 'write'), updates)
  await confirmed
}

/** The context of the person who requested the change: its effects are made in their name. */
function writeContext(
  { job, payload, set, writeEvents, changeTimes }: StepContext,
  tx: Tx,
  times: Pick<WriteContext, 'now' | 'clockNow'>,
): WriteContext<'unique_violation'> {
  const { workspaceId } = job
  const { actor, silent } = payload
  const { now } = times
  return {
    ...times,
    tx,
    actor: unnarrowed(actor),
    requestId: payload.taskId,
    newId: () => newId(now),
    newRecordId: () => newRecordId(now),
    newSecretId,
    fail: (code, fault) => new Failure({ code, ...fault }),
    baseUrl: '',
    given: {},
    takesChunks: false,
    watermark: (object) => changeTimes.watermark(workspaceId, object),
    workspace: { workspaceId, slug: '', role: 'admin', schemaEpoch: set.epoch },
    isHopeful: false,
    refusedItems: new Map(),
    ifMatch: undefined,
    emit: (events) => writeEvents(tx, { workspaceId, actor, silent, now }, events),
    schemas: PinnedSchemas.of(set),
    async attempt() {
      throw new Error('Nothing of a clearing may be refused')
    },
    // A request publishes only hints to this process; other processes poll anyway.
    afterCommit: () => undefined,
  }
}

async function complete({ job, payload }: StepContext): Promise<StepOutcome> {
  return job.conclude(async (tx) => {
    const now = job.clock.now()
    const task = await lockTask(tx, job.workspaceId, payload.taskId)
    await updateTask(tx, job.workspaceId, payload.taskId, now, { completed_at: now, progress: task?.total ?? 1 })
    return { state: 'done' }
  })
}

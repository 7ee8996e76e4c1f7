import { z } from 'zod'
import { listUnderWay } from '../../../db/older-transactions.ts'
import type { Tx } from '../../../db/tx.ts'
import { enqueue } from '../../../engine/store.ts'
import { nextBatchSize } from '../../../engine/batches.ts'
import type { JobContext, JobKind, JobOutcome, JobType } from '../../../engine/types.ts'
import { deleteIndexStates, indexTables } from '../../indexes/index.ts'
import { purgeRecords, type Dependent } from '../../records/index.ts'
import {
  deleteCounts,
  deleteNamed,
  deleteRelationship,
  listPositions,
  removeMember,
  type CleaningPosition,
} from './store.ts'

/** Leftovers of a change that no answer shows any more. Objects, fields and names are storage keys. */
const cleaning = z.discriminatedUnion('kind', [
  /** The values of a field that was dropped. */
  z.object({ kind: z.literal('values'), object: z.string(), key: z.string() }),
  /** The claims of a field that is no longer unique. */
  z.object({ kind: z.literal('claims'), name: z.string() }),
  /** The indexes on a field. */
  z.object({ kind: z.literal('index'), object: z.string(), field: z.string() }),
  z.object({ kind: z.literal('links'), relationship: z.string() }),
  /** The records of a deleted object, with all their dependents. */
  z.object({ kind: z.literal('object'), object: z.string() }),
])

export type Cleaning = z.infer<typeof cleaning>

const payload = z.object({
  cleaning,
  /** Transactions that may still write what is to be removed; null before they were listed. */
  waiting: z.array(z.string()).nullable(),
  pass: z.enum(['live', 'deleted']),
  after: z.object({ at: z.number(), id: z.string() }).nullable(),
  /** In the next batch. */
  rows: z.int(),
})

type Payload = z.infer<typeof payload>

const cleanType: JobType<Payload> = { name: 'schemas.clean', payload }

/**
 * Other nodes trust their cached schemas for five seconds (docs/decisions/0024), and a request that began then may take
 * a while: data that it may still read is kept for this long.
 */
const graceMs = 15_000

const isRead = ({ kind }: Cleaning): boolean => kind !== 'claims'

/** Schedules the removal of a change's leftovers, once no request can read them. */
export async function enqueueCleanings(
  tx: Tx,
  workspaceId: string,
  cleanings: readonly Cleaning[],
  now: number,
): Promise<void> {
  for (const one of cleanings) {
    await enqueue(tx, {
      workspaceId,
      kind: cleanType,
      payload: { cleaning: one, waiting: null, pass: 'live', after: null, rows: rowsFirst },
      now,
      runAt: now + (isRead(one) ? graceMs : 0),
    })
  }
}

/**
 * Batches that take some milliseconds: no writer of one of the records waits for longer, nor does any writer on SQLite.
 */
const rowsFirst = 50
/**
 * Index rows are scattered by record, a page for each: a thousand of them took 5 ms to delete, but 100 ms to commit.
 */
const rowsRange = { min: 50, max: 200 }
/** Comments, events and links that are deleted in one batch for each deleted record. */
const belongingsForEach = 10
const pauseMs = 5
const lookAgainMs = 20

type Again = JobOutcome<Payload>

const again = (next: Payload, inMs = pauseMs): Again => ({ state: 'again', inMs, payload: next })

/** The job that removes leftovers; `dependents` are the dependents of records. */
export const cleanKind = (dependents: readonly Dependent[]): JobKind<Payload> => ({
  ...cleanType,
  maxAttempts: Infinity,
  async run(context, given) {
    // A transaction that began before the change may have written by the old schema; later ones do not.
    const waiting = await listUnderWay(context.database.reader, given.waiting ?? undefined)
    if (waiting.length > 0) return again({ ...given, waiting }, lookAgainMs)
    const settled = { ...given, waiting: [] }
    const { cleaning: one } = settled
    if (one.kind === 'values') return cleanValues(context, settled, one)
    if (one.kind === 'object') return cleanObject(context, settled, one, dependents)
    return cleanRows(context, settled, one)
  },
})

/** Runs a batch in the last transaction of the run; its duration decides how many rows the next one has. */
const batch = ({ conclude }: JobContext, { rows }: Payload, work: (tx: Tx) => Promise<Again>): Promise<Again> =>
  conclude(async (tx) => {
    const began = performance.now()
    const outcome = await work(tx)
    if (outcome.state === 'done' || outcome.payload === undefined) return outcome
    return {
      ...outcome,
      payload: { ...outcome.payload, rows: nextBatchSize(rows, performance.now() - began, rowsRange) },
    }
  })

type RowsCleaning = Cleaning & { readonly kind: 'claims' | 'index' | 'links' }

const cleanRows = (context: JobContext, given: Payload, one: RowsCleaning): Promise<Again> =>
  batch(context, given, async (tx) =>
    (await deleteRows(tx, context.workspaceId, one, given.rows)) === 0 ? { state: 'done' } : again(given),
  )

async function deleteRows(tx: Tx, workspaceId: string, one: RowsCleaning, rows: number): Promise<number> {
  if (one.kind === 'links') return deleteRelationship(tx, workspaceId, one.relationship, rows)
  if (one.kind === 'claims') return deleteNamed(tx, workspaceId, 'unique_key', one.name, rows)
  // A running index build ends when its state is gone.
  await deleteIndexStates(tx, workspaceId, one.object, one.field)
  let deleted = 0
  for (const table of indexTables)
    if (deleted < rows)
      deleted += await deleteNamed(tx, workspaceId, table, `${one.object}.${one.field}`, rows - deleted)
  return deleted
}

async function cleanValues(
  context: JobContext,
  given: Payload,
  { object, key }: Cleaning & { readonly kind: 'values' },
): Promise<Again> {
  const positions = await listPositions(
    context.database.reader,
    context.workspaceId,
    object,
    given.pass,
    given.after ?? undefined,
    given.rows,
  )
  return batch(context, given, async (tx) => {
    if (positions.length > 0)
      await removeMember(
        tx,
        context.workspaceId,
        positions.map(({ id }) => id),
        key,
      )
    return onward(given, positions)
  })
}

async function cleanObject(
  context: JobContext,
  given: Payload,
  { object }: Cleaning & { readonly kind: 'object' },
  dependents: readonly Dependent[],
): Promise<Again> {
  // The rows before are deleted, but Postgres would still pass by them.
  const positions = await listPositions(
    context.database.reader,
    context.workspaceId,
    object,
    given.pass,
    given.after ?? undefined,
    given.rows,
  )
  return batch(context, given, async (tx) => {
    if (
      !(await purgeRecords(
        tx,
        context.workspaceId,
        positions.map(({ id }) => id),
        dependents,
        given.rows * belongingsForEach,
      ))
    )
      return again(given)
    const next = onward(given, positions)
    if (next.state === 'done') await deleteCounts(tx, context.workspaceId, object)
    return next
  })
}

/** The next records of a pass, or the next pass. */
function onward(given: Payload, positions: readonly CleaningPosition[]): Again {
  const last = positions.at(-1)
  // Records that are created or deleted meanwhile contain nothing to remove, and following them might never end.
  if (last !== undefined && positions.length === given.rows) return again({ ...given, after: last })
  return given.pass === 'live' ? again({ ...given, pass: 'deleted', after: null }) : { state: 'done' }
}

import { z } from 'zod'
import { listUnderWay } from '../../../db/older-transactions.ts'
import type { Tx } from '../../../db/tx.ts'
import { inBatchesFrom } from '../../../engine/batches.ts'
import { enqueue } from '../../../engine/store.ts'
import type { JobContext, JobKind } from '../../../engine/types.ts'
import { readSchemas } from '../../schemas/index.ts'
import { objectOf } from '../object-of.ts'
import { listNextRecords, newestCreation } from '../store.ts'
import { type ObjectModel, lockRecords } from '../../objects/index.ts'
import { putDocuments, documentRow } from './document.ts'
import { listDocumentsOf } from './store.ts'

/**
 * A position among the records of an object, in the order of their creation, and the creation time at which the job
 * ends.
 */
const fillPosition = z.object({
  filled_at: z.number().nullable(),
  filled_id: z.string().nullable(),
  until: z.number().optional(),
})

type FillPosition = z.infer<typeof fillPosition>

/** `waiting` lists the transactions that may use an older schema; it is null before they were listed. */
const payload = z.object({
  object: z.string(),
  waiting: z.array(z.string()).nullable().optional(),
  place: fillPosition.optional(),
})

type Filling = z.infer<typeof payload>

/** Interval of checks whether the transactions with an older schema have ended. */
const waitMs = 20

/** Rebuilds the search documents of all records of an object. */
export const fillDocuments: JobKind<Filling> = { name: 'records.documents', payload, maxAttempts: Infinity, run: fill }

const beginning: FillPosition = { filled_at: null, filled_id: null }

async function fill(context: JobContext, filling: Filling) {
  const { database, workspaceId } = context
  if (filling.waiting === null || (filling.waiting?.length ?? 0) > 0) {
    const waiting = await listUnderWay(database.reader, filling.waiting ?? undefined)
    return { state: 'again' as const, inMs: waiting.length > 0 ? waitMs : 0, payload: { ...filling, waiting } }
  }
  const { schemas } = await readSchemas(database.reader, workspaceId)
  const object = objectOf(schemas, filling.object)
  if (object === undefined) return { state: 'done' as const }
  const place = await inBatchesFrom(context, filling.place ?? beginning, (tx, rows, from) =>
    fillBatch(tx, workspaceId, object, from, rows),
  )
  return place === undefined
    ? { state: 'done' as const }
    : { state: 'again' as const, inMs: 0, payload: { ...filling, place } }
}

/**
 * Enqueues a rebuild of the search documents of an object. Call it in the transaction that changes which fields of the
 * object are searched, by `xSvcSearchable` or by other fields. Until the job reaches a record, it is found as before.
 */
export async function rebuildSearchDocuments(
  tx: Tx,
  { workspaceId, object, now }: { readonly workspaceId: string; readonly object: string; readonly now: number },
): Promise<void> {
  // Without a deduplication key: a running job has already indexed records by the older schema.
  await enqueue(tx, { workspaceId, kind: fillDocuments, payload: { object, waiting: null }, now })
}

/**
 * Builds the documents of the next records in the order of their creation; returns the position to continue from, or
 * undefined at the end. The records are locked: an earlier change is seen, and a later one writes its own document. A
 * record that is created meanwhile does so too, so the last record is the newest one at the start.
 */
async function fillBatch(
  tx: Tx,
  workspaceId: string,
  object: ObjectModel,
  from: FillPosition,
  rows: number,
): Promise<FillPosition | undefined> {
  const until = from.until ?? (await newestCreation(tx, workspaceId, object.key))
  const next = await listNextRecords(tx, workspaceId, object.key, from, until, rows)
  const ids = next.map(({ id }) => id)
  const records = ids.length === 0 ? [] : await lockRecords(tx, workspaceId, object.key, ids, 'change')
  await putDocuments(
    tx,
    await listDocumentsOf(tx, workspaceId, ids),
    records.map((record) => documentRow(workspaceId, object, record)),
  )
  const last = next.at(-1)
  return last === undefined || next.length < rows
    ? undefined
    : { filled_at: last.created_at, filled_id: last.id, until }
}

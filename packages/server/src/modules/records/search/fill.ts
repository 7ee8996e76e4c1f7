import { z } from 'zod'
import { listUnderWay } from '../../../db/older-transactions.ts'
import type { Tx } from '../../../db/tx.ts'
import { inBatches } from '../../../engine/batches.ts'
import { enqueue } from '../../../engine/store.ts'
import type { JobContext, JobKind } from '../../../engine/types.ts'
import { readSchemas } from '../../schemas/index.ts'
import { listNextRecords, newestCreation } from '../indexes/store.ts'
import { compileObject, type ObjectModel } from '../object.ts'
import { lockRecords } from '../store.ts'
import { documentRow } from './document.ts'
import { listDocumentsOf } from './store.ts'
import { putDocuments } from './write.ts'

/** A place among the records of an object, in the order of their creation, and up to which creation there is something to do. */
const place = z.object({
  filled_at: z.number().nullable(),
  filled_id: z.string().nullable(),
  until: z.number().optional(),
})

type FillPosition = z.infer<typeof place>

/** `first`: the records have no documents yet, so nobody may search before it ends. `waiting`: transactions that may know an older schema, null before they were listed. */
const payload = z.object({
  object: z.string(),
  first: z.boolean(),
  waiting: z.array(z.string()).nullable().optional(),
  place: place.optional(),
})

type Filling = z.infer<typeof payload>

/** Until transactions that know an older schema have ended. */
const waitMs = 20

/** Makes the documents of all records of an object, or makes them again. */
export const fillDocuments: JobKind<Filling> = { name: 'records.documents', payload, maxAttempts: Infinity, run: fill }

async function fill(context: JobContext, filling: Filling) {
  const { database, workspaceId } = context
  if (filling.waiting === null || (filling.waiting?.length ?? 0) > 0) {
    const waiting = await listUnderWay(database.reader, filling.waiting ?? undefined)
    return { state: 'again' as const, inMs: waiting.length > 0 ? waitMs : 0, payload: { ...filling, waiting } }
  }
  const { schemas } = await readSchemas(database.reader, workspaceId)
  const schema = [...schemas.values()].find(({ keys }) => keys.object === filling.object)
  if (schema === undefined) return { state: 'done' as const }
  const object = compileObject(schema)
  let at = filling.place
  const said = await inBatches(context, async (tx, rows) => {
    const next = await fillPortion(tx, workspaceId, object, at, rows)
    // Only a hint to the next portion: one that is run again finds its documents as they should be.
    at = next ?? at
    return next === undefined ? ('done' as const) : 'more'
  })
  return said === 'done'
    ? { state: 'done' as const }
    : { state: 'again' as const, inMs: 0, payload: { ...filling, place: at } }
}

/**
 * Has the documents of all records of an object made again: call it in the transaction that changes which fields of the object
 * are searched, by `xSvcSearchable` or because there are other fields. Until a record's turn comes it is found as before.
 */
export async function rebuildSearchDocuments(
  tx: Tx,
  { workspaceId, object, now }: { readonly workspaceId: string; readonly object: string; readonly now: number },
): Promise<void> {
  // Without a key: one that is under way has passed records by the older schema.
  await enqueue(tx, { workspaceId, kind: fillDocuments, payload: { object, first: false, waiting: null }, now })
}

/**
 * Makes the documents of the next records in the order of their creation; where to go on, or undefined at the end. The records
 * are locked, so that a change that comes first is seen, and one that comes later writes its own document. So does whoever
 * creates one meanwhile: the newest that there was at the beginning is the last.
 */
async function fillPortion(
  tx: Tx,
  workspaceId: string,
  object: ObjectModel,
  from: FillPosition | undefined,
  rows: number,
): Promise<FillPosition | undefined> {
  const until = from?.until ?? (await newestCreation(tx, workspaceId, object.key))
  const next = await listNextRecords(
    tx,
    workspaceId,
    object.key,
    from ?? { filled_at: null, filled_id: null },
    until,
    rows,
  )
  const ids = next.map(({ id }) => id)
  const records = ids.length === 0 ? [] : await lockRecords(tx, workspaceId, object.key, ids, 'change')
  await putDocuments(
    tx,
    workspaceId,
    await listDocumentsOf(tx, workspaceId, ids),
    records.map((record) => documentRow(workspaceId, object, record)),
  )
  const last = next.at(-1)
  return last === undefined || next.length < rows
    ? undefined
    : { filled_at: last.created_at, filled_id: last.id, until }
}

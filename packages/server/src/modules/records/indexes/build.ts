import { z } from 'zod'
import { listUnderWay } from '../../../db/older-transactions.ts'
import { gatherStatistics } from '../../../db/statistics.ts'
import { inBatches } from '../../../engine/batches.ts'
import type { JobContext, JobKind, JobOutcome } from '../../../engine/types.ts'
import { readSchemas } from '../../schemas/index.ts'
import { compileObject } from '../object.ts'
import { fillPortion } from './fill.ts'
import type { IndexTable } from './rows.ts'
import { indexKinds, type IndexName } from './store.ts'

const payload = z.object({
  object: z.string(),
  field: z.string(),
  kind: z.enum(indexKinds),
  /** Transactions that may know nothing of the index; null before they were listed. */
  waiting: z.array(z.string()).nullable().default(null),
})

type Build = z.infer<typeof payload>

/** Looks so often whether they have ended. */
const lookAgainMs = 100

/** Others go on so soon after a crash; a portion takes milliseconds. */
const leaseMs = 10_000

/** Builds an index, portion by portion. It never gives up: those who look at their lists would wait for ever. */
export const buildIndex: JobKind<Build> = {
  name: 'records.index',
  payload,
  leaseMs,
  maxAttempts: Infinity,
  run: settleAndBuild,
}

/** Begins when everybody has ended who may write records and not know that they have rows in the index. */
async function settleAndBuild(context: JobContext, { waiting, ...name }: Build): Promise<JobOutcome<Build>> {
  const left = await listUnderWay(context.database.reader, waiting ?? undefined)
  if (left.length > 0) return { state: 'again', inMs: lookAgainMs, payload: { ...name, waiting: left } }
  return (await build(context, name))
    ? { state: 'done' }
    : { state: 'again', inMs: 0, payload: { ...name, waiting: [] } }
}

/** Goes on for a while; whether there is nothing left to do. */
async function build(context: JobContext, name: IndexName): Promise<boolean> {
  const { database, clock, workspaceId } = context
  const { schemas } = await readSchemas(database.reader, workspaceId)
  const schema = [...schemas.values()].find(({ keys }) => keys.object === name.object)
  if (schema === undefined) return true
  const object = compileObject(schema)
  const filled = await inBatches(context, (tx, rows) =>
    fillPortion(tx, { workspaceId, object, name, rows, now: clock.now() }),
  )
  if (filled === 'ready') await gatherStatistics(database, tableOf[name.kind], workspaceId)
  return filled === 'ready'
}

const tableOf = { text: 'field_text', number: 'field_number', grams: 'field_gram' } as const satisfies Record<
  IndexName['kind'],
  IndexTable
>

/** One build of an index at a time. */
export const buildKey = ({ object, field, kind }: IndexName): string => `${object}.${field}.${kind}`

import { z } from 'zod'
import { listUnderWay } from '../../db/older-transactions.ts'
import { gatherStatistics } from '../../db/statistics.ts'
import { inBatches } from '../../engine/batches.ts'
import type { JobContext, JobKind, JobOutcome } from '../../engine/types.ts'
import { readSchemas } from '../schemas/index.ts'
import { fillBatch } from './fill.ts'
import { objectOf } from './object-of.ts'
import type { IndexTable } from './rows.ts'
import { indexKinds, type IndexName } from './store.ts'

const payload = z.object({
  object: z.string(),
  field: z.string(),
  kind: z.enum(indexKinds),
  /** Transactions that may not know of the index; null before they were listed. */
  waiting: z.array(z.string()).nullable().default(null),
})

type Build = z.infer<typeof payload>

/** Interval of checks whether these transactions have ended. */
const lookAgainMs = 100

/** Time after which another node resumes the build after a crash; a batch takes milliseconds. */
const leaseMs = 10_000

/** Builds an index in batches. It never gives up, because lists would otherwise remain slow for ever. */
export const buildIndex: JobKind<Build> = {
  name: 'records.index',
  payload,
  leaseMs,
  maxAttempts: Infinity,
  run: settleAndBuild,
}

/** Starts the build once all transactions have ended that may write records without writing index rows. */
async function settleAndBuild(context: JobContext, { waiting, ...name }: Build): Promise<JobOutcome<Build>> {
  const left = await listUnderWay(context.database.reader, waiting ?? undefined)
  if (left.length > 0) return { state: 'again', inMs: lookAgainMs, payload: { ...name, waiting: left } }
  return (await build(context, name))
    ? { state: 'done' }
    : { state: 'again', inMs: 0, payload: { ...name, waiting: [] } }
}

/** Builds for a while; returns whether the index is complete. */
async function build(context: JobContext, name: IndexName): Promise<boolean> {
  const { database, clock, workspaceId } = context
  const { schemas } = await readSchemas(database.reader, workspaceId)
  const object = objectOf(schemas, name.object)
  if (object === undefined) return true
  const filled = await inBatches(context, (tx, rows) =>
    fillBatch(tx, { workspaceId, object, name, rows, now: clock.now() }),
  )
  if (filled === 'ready') await gatherStatistics(database, tableOf[name.kind], workspaceId)
  return filled === 'ready'
}

const tableOf = { text: 'field_text', number: 'field_number', grams: 'field_gram' } as const satisfies Record<
  IndexName['kind'],
  IndexTable
>

/** The job key of a build, so that an index has one build at a time. */
export const buildKey = ({ object, field, kind }: IndexName): string => `${object}.${field}.${kind}`

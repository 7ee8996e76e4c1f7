import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { listUnderWay } from '../../../db/older-transactions.ts'
import { gatherStatistics } from '../../../db/statistics.ts'
import { nextRows } from '../../../engine/portion-size.ts'
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

/** A run ends after a while, so that the jobs of others come to their turn. */
const runMs = 2000

const rowsFirst = 100
const rowsRange = { min: 20, max: 2000 }

/** Looks so often whether they have ended. */
const lookAgainMs = 100

/** Builds an index, portion by portion. It never gives up: those who look at their lists would wait for ever. */
export const buildIndex: JobKind<Build> = { name: 'records.index', payload, maxAttempts: Infinity, run: settleAndBuild }

/** Begins when everybody has ended who may write records and not know that they have rows in the index. */
async function settleAndBuild(context: JobContext, { waiting, ...name }: Build): Promise<JobOutcome<Build>> {
  const left = await listUnderWay(context.database.reader, waiting ?? undefined)
  if (left.length > 0) return { state: 'again', inMs: lookAgainMs, payload: { ...name, waiting: left } }
  return (await build(context, name)) ? { state: 'done' } : { state: 'again', inMs: 0, payload: { ...name, waiting: [] } }
}

/** Goes on for a while; whether there is nothing left to do. */
async function build({ database, clock, signal, workspaceId }: JobContext, name: IndexName): Promise<boolean> {
  const { schemas } = await readSchemas(database.reader, workspaceId)
  const schema = [...schemas.values()].find(({ keys }) => keys.object === name.object)
  if (schema === undefined) return true
  const object = compileObject(schema)
  const until = performance.now() + runMs
  for (let rows = rowsFirst; !signal.aborted && performance.now() < until; ) {
    let began = 0
    const filled = await database.write((tx) => {
      // Where writers stand in a queue, the portion begins only now.
      began = performance.now()
      return fillPortion(tx, { workspaceId, object, name, rows, now: clock.now() })
    })
    if (filled === 'ready') {
      await gatherStatistics(database, tableOf[name.kind], workspaceId)
      return true
    }
    const tookMs = performance.now() - began
    rows = nextRows(rows, tookMs, rowsRange)
    // Half of the time belongs to others.
    await sleep(tookMs)
  }
  return false
}

const tableOf = { text: 'field_text', number: 'field_number', grams: 'field_gram' } as const satisfies Record<IndexName['kind'], IndexTable>

/** One build of an index at a time. */
export const buildKey = ({ object, field, kind }: IndexName): string => `${object}.${field}.${kind}`

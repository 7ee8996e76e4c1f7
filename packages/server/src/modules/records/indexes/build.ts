import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { gatherStatistics } from '../../../db/statistics.ts'
import type { JobContext, JobKind } from '../../../engine/types.ts'
import { readSchemas } from '../../schemas/index.ts'
import { compileObject } from '../object.ts'
import { fillPortion } from './fill.ts'
import type { IndexTable } from './rows.ts'
import { indexKinds, type IndexName } from './store.ts'

const payload = z.object({ object: z.string(), field: z.string(), kind: z.enum(indexKinds) })

/** A run ends after a while, so that the jobs of others come to their turn. */
const runMs = 2000

/** How long a portion shall take: it holds up the one writer of SQLite, and on Postgres those who change its records. */
const portionMs = 10

const rowsFirst = 100
const rowsMin = 20
const rowsMax = 2000

/** Until transactions that know nothing of the index have ended. */
const waitMs = 100

/** Builds an index, portion by portion. It never gives up: those who look at their lists would wait for ever. */
export const buildIndex: JobKind<IndexName> = { name: 'records.index', payload, maxAttempts: Infinity, run: build }

async function build(context: JobContext, name: IndexName) {
  const { database, clock, signal, workspaceId } = context
  const { schemas } = await readSchemas(database.reader, workspaceId)
  const schema = [...schemas.values()].find(({ keys }) => keys.object === name.object)
  if (schema === undefined) return { state: 'done' as const }
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
      return { state: 'done' as const }
    }
    if (filled === 'waiting') return { state: 'again' as const, inMs: waitMs }
    const tookMs = performance.now() - began
    rows = Math.max(rowsMin, Math.min(rowsMax, tookMs > portionMs ? Math.floor(rows / 2) : tookMs < portionMs / 2 ? rows * 2 : rows))
    // Half of the time belongs to others.
    await sleep(tookMs)
  }
  return { state: 'again' as const, inMs: 0 }
}

const tableOf = { text: 'field_text', number: 'field_number', grams: 'field_gram' } as const satisfies Record<IndexName['kind'], IndexTable>

/** One build of an index at a time. */
export const buildKey = ({ object, field, kind }: IndexName): string => `${object}.${field}.${kind}`

import { z } from 'zod'
import { gatherStatistics } from '../../../db/statistics.ts'
import { inPortions } from '../../../engine/portions.ts'
import type { JobContext, JobKind } from '../../../engine/types.ts'
import { readSchemas } from '../../schemas/index.ts'
import { compileObject } from '../object.ts'
import { fillPortion } from './fill.ts'
import type { IndexTable } from './rows.ts'
import { indexKinds, type IndexName } from './store.ts'

const payload = z.object({ object: z.string(), field: z.string(), kind: z.enum(indexKinds) })

/** Until transactions that know nothing of the index have ended. */
const waitMs = 100

/** Builds an index, portion by portion. It never gives up: those who look at their lists would wait for ever. */
export const buildIndex: JobKind<IndexName> = { name: 'records.index', payload, maxAttempts: Infinity, run: build }

async function build(context: JobContext, name: IndexName) {
  const { database, clock, workspaceId } = context
  const { schemas } = await readSchemas(database.reader, workspaceId)
  const schema = [...schemas.values()].find(({ keys }) => keys.object === name.object)
  if (schema === undefined) return { state: 'done' as const }
  const object = compileObject(schema)
  const filled = await inPortions(context, (tx, rows) => fillPortion(tx, { workspaceId, object, name, rows, now: clock.now() }))
  if (filled === 'ready') {
    await gatherStatistics(database, tableOf[name.kind], workspaceId)
    return { state: 'done' as const }
  }
  return { state: 'again' as const, inMs: filled === 'waiting' ? waitMs : 0 }
}

const tableOf = { text: 'field_text', number: 'field_number', grams: 'field_gram' } as const satisfies Record<IndexName['kind'], IndexTable>

/** One build of an index at a time. */
export const buildKey = ({ object, field, kind }: IndexName): string => `${object}.${field}.${kind}`

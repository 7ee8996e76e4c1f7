import { z } from 'zod'
import { gatherStatistics } from '../../../db/statistics.ts'
import type { Tx } from '../../../db/tx.ts'
import { inBatches } from '../../../engine/batches.ts'
import type { JobKind } from '../../../engine/types.ts'
import { gramsOfDocument } from './grams.ts'
import { lockUnindexed } from './store.ts'

const payload = z.object({ object: z.string() })

/**
 * Longer than other batches: on Postgres, only a change of the same records waits for these rows, and the more trigrams
 * are merged into an index together, the less each costs. Half of the time that a writer may have to wait.
 */
const rowsRange = { min: 20, max: 4000, batchMs: 25 }

/** Indexes the unindexed documents of an object, until few are left. */
export const indexDocuments: JobKind<z.infer<typeof payload>> = {
  name: 'records.search_index',
  payload,
  maxAttempts: Infinity,
  async run(context, { object }) {
    const said = await inBatches(context, (tx, rows) => indexBatch(tx, context.workspaceId, object, rows), rowsRange)
    if (said !== 'done') return { state: 'again', inMs: 0 }
    await gatherStatistics(context.database, 'search_document', context.workspaceId)
    return { state: 'done' }
  },
}

async function indexBatch(tx: Tx, workspaceId: string, object: string, rows: number): Promise<'more' | 'done'> {
  const some = await lockUnindexed(tx, workspaceId, object, rows)
  const scope = { workspaceId, object }
  const indexed = some.map(({ record_id, document_text }) => ({
    workspace_id: workspaceId,
    record_id,
    grams: gramsOfDocument(scope, document_text),
  }))
  if (indexed.length > 0) await tx.updateByKey('search_document', ['workspace_id', 'record_id'], indexed)
  return some.length < rows ? 'done' : 'more'
}

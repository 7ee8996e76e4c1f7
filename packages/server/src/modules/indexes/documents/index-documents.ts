import { z } from 'zod'
import { gatherStatistics } from '../../../db/statistics.ts'
import type { Tx } from '../../../db/tx.ts'
import { inBatchesFrom } from '../../../engine/batches.ts'
import type { JobKind } from '../../../engine/types.ts'
import { gramsOfDocument } from './grams.ts'
import { lockUnindexed } from './store.ts'

/** The last record whose document was indexed. */
const place = z.object({ after: z.string().optional() })

type Place = z.infer<typeof place>

const payload = place.extend({ object: z.string() })

/**
 * Longer than other batches: on Postgres, only a change of the same records waits for these rows, and the more trigrams
 * are merged into an index together, the less each costs. Half of the time that a writer may have to wait.
 */
const rowsRange = { min: 20, max: 4000, batchMs: 25 }

/**
 * Indexes the unindexed documents of an object, in the order of their records. Those that change meanwhile are few: the
 * next search requests it again if they are not.
 */
export const indexDocuments: JobKind<z.infer<typeof payload>> = {
  name: 'records.search_index',
  payload,
  maxAttempts: Infinity,
  async run(context, { object, ...begun }) {
    const next = await inBatchesFrom(
      context,
      begun,
      (tx, rows, from) => indexBatch(tx, context.workspaceId, object, { ...from, rows }),
      rowsRange,
    )
    if (next !== undefined) return { state: 'again', inMs: 0, payload: { object, ...next } }
    await gatherStatistics(context.database, 'search_document', context.workspaceId)
    return { state: 'done' }
  },
}

/** Returns the place of the last document; undefined if these were the last ones. */
async function indexBatch(
  tx: Tx,
  workspaceId: string,
  object: string,
  next: Place & { readonly rows: number },
): Promise<Place | undefined> {
  const some = await lockUnindexed(tx, workspaceId, object, next)
  const scope = { workspaceId, object }
  const indexed = some.map(({ record_id, document_text }) => ({
    workspace_id: workspaceId,
    record_id,
    grams: gramsOfDocument(scope, document_text),
  }))
  if (indexed.length > 0) await tx.updateByKey('search_document', ['workspace_id', 'record_id'], indexed)
  return some.length < next.rows ? undefined : { after: some.at(-1)?.record_id }
}

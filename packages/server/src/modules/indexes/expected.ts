import type { RowOf } from '../../db/columns.ts'
import type { ReadTx } from '../../db/tx.ts'
import { listUnfinished } from '../../engine/verification/store.ts'
import { memberOf } from '../../lib/guards.ts'
import type { ObjectModel } from '../objects/index.ts'
import { documentRow } from './documents/document.ts'
import { fillDocuments } from './documents/fill.ts'
import type { FieldIndex } from './kinds.ts'
import { indexRows, type Indexable, type IndexRows } from './rows.ts'
import { allIndexesIn } from './states.ts'
import { listIndexStates } from './store.ts'

/** Reads the indexes in which every record of an object has its rows: those that are built. */
export async function readyIndexes(tx: ReadTx, workspaceId: string, object: ObjectModel): Promise<FieldIndex[]> {
  const states = await listIndexStates(tx, workspaceId, object.key)
  return allIndexesIn(
    object,
    states.filter(({ state }) => state === 'ready'),
  )
}

/** Reads the keys of the objects whose search documents a job is writing. */
export async function fillingObjects(tx: ReadTx, workspaceId: string): Promise<ReadonlySet<unknown>> {
  const jobs = await listUnfinished(tx, workspaceId, [fillDocuments.name])
  return new Set(jobs.map(({ payload }) => memberOf(payload, 'object')))
}

/** Returns the rows of a live record in some indexes, and its search document. */
export const expectedRows = (
  workspaceId: string,
  object: ObjectModel,
  indexes: readonly FieldIndex[],
  record: Indexable,
): IndexRows & { readonly search_document: readonly RowOf<'search_document'>[] } => ({
  ...indexRows(workspaceId, object, indexes, [record]),
  search_document: [documentRow(workspaceId, object, record)],
})

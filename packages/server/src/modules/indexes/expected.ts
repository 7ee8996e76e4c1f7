import type { RowOf } from '../../db/columns.ts'
import type { ReadTx } from '../../db/tx.ts'
import { listUnfinished } from '../../engine/verification/store.ts'
import { memberOf } from '../../lib/guards.ts'
import type { ObjectModel } from '../objects/index.ts'
import { documentRow } from './documents/document.ts'
import { fillDocuments } from './documents/fill.ts'
import { indexRows, type FieldIndex, type Indexable, type IndexRows } from './rows.ts'
import { allIndexesIn } from './write.ts'
import { listIndexStates } from './store.ts'

/** An object with the indexes that are built: every one of its live records has its rows there. */
type Indexed = {
  readonly object: ObjectModel
  readonly indexes: readonly FieldIndex[]
  /** False while a job writes the search documents of the object. */
  readonly hasDocuments: boolean
  /** The rows of a live record in the indexes, and its search document. */
  readonly rowsOf: (record: Indexable) => IndexRows & { readonly search_document: readonly RowOf<'search_document'>[] }
}

/** Reads what the indexes of some objects contain, by the keys of the objects. */
export async function readIndexed(
  tx: ReadTx,
  workspaceId: string,
  objects: readonly ObjectModel[],
): Promise<ReadonlyMap<string, Indexed>> {
  const jobs = await listUnfinished(tx, workspaceId, [fillDocuments.name])
  const filling = new Set(jobs.map(({ payload }) => memberOf(payload, 'object')))
  const indexed: [string, Indexed][] = []
  for (const object of objects) {
    const states = await listIndexStates(tx, workspaceId, object.key)
    const ready = states.filter(({ state }) => state === 'ready')
    const indexes = allIndexesIn(object, ready)
    const rowsOf: Indexed['rowsOf'] = (record) => ({
      ...indexRows(workspaceId, object, indexes, [record]),
      search_document: [documentRow(workspaceId, object, record)],
    })
    indexed.push([object.key, { object, indexes, hasDocuments: !filling.has(object.key), rowsOf }])
  }
  return new Map(indexed)
}

import type { RowOf } from '../../../db/columns.ts'
import type { Tx } from '../../../db/tx.ts'
import type { ObjectModel } from '../../objects/index.ts'
import type { StoredDocument } from './store.ts'
import { documentRow, type Documented } from './document.ts'

/**
 * Updates the documents of records in the transaction that writes the records: one row for each record whose words
 * change. The row is indexed later, and is found in the meantime.
 */
export const writeDocuments = (
  tx: Tx,
  workspaceId: string,
  object: ObjectModel,
  before: readonly Documented[],
  after: readonly Documented[],
): Promise<void> =>
  putDocuments(
    tx,
    workspaceId,
    before.map((record) => documentRow(workspaceId, object, record)),
    after.map((record) => documentRow(workspaceId, object, record)),
  )

/** Replaces documents. An unchanged document stays in the index. */
export async function putDocuments(
  tx: Tx,
  workspaceId: string,
  before: readonly StoredDocument[],
  after: readonly RowOf<'search_document'>[],
): Promise<void> {
  const known = new Map(before.map((row) => [row.record_id, row]))
  const changed = after.filter(({ record_id, title_text, document_text }) => {
    const own = known.get(record_id)
    return own === undefined || own.title_text !== title_text || own.document_text !== document_text
  })
  const gone = changed
    .filter(({ record_id }) => known.has(record_id))
    .map(({ record_id }) => ({ workspace_id: workspaceId, record_id }))
  await Promise.all([
    ...(gone.length > 0 ? [tx.deleteByKey('search_document', gone)] : []),
    ...(changed.length > 0 ? [tx.insert('search_document', changed)] : []),
  ])
}

import { limited } from '../../../db/expressions.ts'
import type { RowOf } from '../../../db/columns.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { rowsOf, readTotal } from '../../../db/rows.ts'

export type StoredDocument = Pick<RowOf<'search_document'>, 'record_id' | 'title_text' | 'document_text'>

/** Lists the search documents of records. */
export const listDocumentsOf = rowsOf<StoredDocument>('search_document', [
  'record_id',
  'title_text',
  'document_text',
]).listAmong(['workspace_id'], 'record_id')

type Unindexed = Pick<StoredDocument, 'record_id' | 'document_text'>

type Some = { readonly workspace_id: string; readonly object: string; readonly after: string; readonly rows: number }

const unindexed = statement<Some, Unindexed>((sql) =>
  limited(
    sql,
    // A document that another transaction is changing becomes unindexed again anyway.
    sql.dialect.locked(
      sql
        .knex('search_document')
        .select('record_id', 'document_text')
        .where({ workspace_id: param('workspace_id'), object: param('object') })
        .whereNull('grams')
        .where('record_id', '>', param('after'))
        .orderBy('record_id'),
      'claim',
    ),
    param('rows'),
  ),
)

/** An id before all others. */
const beginning = '00000000-0000-0000-0000-000000000000'

/**
 * Locks unindexed documents of an object in the order of their records, from behind one of them on, skipping those that
 * another transaction has locked.
 */
export const lockUnindexed = (
  tx: Tx,
  workspaceId: string,
  object: string,
  { after = beginning, rows }: { readonly after?: string | undefined; readonly rows: number },
): Promise<Unindexed[]> => tx.all(unindexed, { workspace_id: workspaceId, object, after, rows })

/** Counts the unindexed documents of an object, up to a number. */
export const countUnindexed = (tx: ReadTx, workspaceId: string, object: string, rowsMax: number): Promise<number> =>
  readTotal(
    tx,
    ({ knex }) => {
      const documents = knex('search_document').where({ workspace_id: workspaceId, object }).whereNull('grams')
      return knex.count('* as total').from(documents.select('record_id').limit(rowsMax).as('u'))
    },
    false,
  )

import { limited } from '../../../db/expressions.ts'
import type { RowOf } from '../../../db/columns.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'

export type StoredDocument = Pick<RowOf<'search_document'>, 'record_id' | 'title_text' | 'document_text'>

/** Lists the search documents of records. */
export const listDocumentsOf = (tx: ReadTx, workspaceId: string, ids: readonly string[]): Promise<StoredDocument[]> =>
  tx.query(({ knex, dialect }) =>
    knex('search_document')
      .select('record_id', 'title_text', 'document_text')
      .where('workspace_id', workspaceId)
      .where(dialect.oneOf('record_id', ids)),
  )

type Unindexed = Pick<StoredDocument, 'record_id' | 'document_text'>

type Some = { readonly workspace_id: string; readonly object: string; readonly rows: number }

const unindexed = statement<Some, Unindexed>((sql) =>
  limited(
    sql,
    // A document that another transaction is changing becomes unindexed again anyway.
    sql.dialect.locked(
      sql
        .knex('search_document')
        .select('record_id', 'document_text')
        .where({ workspace_id: param('workspace_id'), object: param('object') })
        .whereNull('grams'),
      'claim',
    ),
    param('rows'),
  ),
)

/** Locks unindexed documents of an object, skipping those that another transaction has locked. */
export const lockUnindexed = (tx: Tx, workspaceId: string, object: string, rows: number): Promise<Unindexed[]> =>
  tx.all(unindexed, { workspace_id: workspaceId, object, rows })

/** Counts the unindexed documents of an object, up to a number. */
export async function countUnindexed(
  tx: ReadTx,
  workspaceId: string,
  object: string,
  rowsMax: number,
): Promise<number> {
  const [row] = await tx.query<{ total: number }>(({ knex }) =>
    knex
      .count('* as total')
      .from(
        knex('search_document')
          .select('record_id')
          .where({ workspace_id: workspaceId, object })
          .whereNull('grams')
          .limit(rowsMax)
          .as('u'),
      ),
  )
  return row?.total ?? 0
}

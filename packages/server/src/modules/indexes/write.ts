import type { RowOf } from '../../db/columns.ts'
import type { Tx } from '../../db/tx.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import type { ObjectModel } from '../objects/index.ts'
import { writeDocuments } from './documents/write.ts'
import { allIndexesIn, indexesIn, cachedStates, cacheStates } from './cached-states.ts'
import type { FieldIndex } from './kinds.ts'
import { indexRows, indexTables, type Indexable, type IndexTable } from './rows.ts'
import { listIndexStates } from './store.ts'

type IndexContext = Pick<WriteContext, 'tx' | 'caches' | 'afterCommit'> & {
  readonly workspace: { readonly workspaceId: string }
}

/**
 * Updates the index rows and search words of records from one state to another; a new record has no previous state.
 * Call it after the first change of the transaction: the index states are read after that change, so a build that this
 * read misses waits for the transaction to end before it begins (docs/decisions/0045). Rows for the guessed indexes are
 * written together with that read, the others after it.
 */
export async function writeIndexRows(
  ctx: IndexContext,
  object: ObjectModel,
  before: readonly Indexable[],
  after: readonly Indexable[],
): Promise<void> {
  const { tx, caches, workspace } = ctx
  const guessed = cachedStates(caches, workspace.workspaceId, object)
  const put = (indexes: readonly FieldIndex[]) => putRows(tx, workspace.workspaceId, object, indexes, before, after)
  const [states] = await Promise.all([
    listIndexStates(tx, workspace.workspaceId, object.key),
    put(allIndexesIn(object, guessed)),
    writeDocuments(tx, workspace.workspaceId, object, before, after),
  ])
  const missed = indexesIn(
    object,
    states.filter(({ field, kind }) => !guessed.some((one) => one.field === field && one.kind === kind)),
  )
  if (missed.length > 0) await put(missed)
  ctx.afterCommit(() => cacheStates(caches, workspace.workspaceId, object, states))
}

async function putRows(
  tx: Tx,
  workspaceId: string,
  object: ObjectModel,
  indexes: readonly FieldIndex[],
  before: readonly Indexable[],
  after: readonly Indexable[],
): Promise<void> {
  const oldRows = indexRows(workspaceId, object, indexes, before)
  const newRows = indexRows(workspaceId, object, indexes, after)
  await Promise.all(indexTables.flatMap((table) => replaceRows(tx, table, oldRows[table], newRows[table])))
}

function replaceRows(
  tx: Tx,
  table: IndexTable,
  oldRows: readonly RowOf<IndexTable>[],
  newRows: readonly RowOf<IndexTable>[],
): Promise<void>[] {
  const [removed, added] = [rowsNotIn(oldRows, newRows), rowsNotIn(newRows, oldRows)]
  return [
    ...(removed.length > 0
      ? [
          tx.deleteByKey(
            table,
            removed.map((row) => keyOfRow(table, row)),
          ),
        ]
      : []),
    ...(added.length > 0 ? [tx.insert(table, added)] : []),
  ]
}

/** The key of a row. The trigrams are long, and the other columns of their row are its key. */
const keyOfRow = (table: IndexTable, row: RowOf<IndexTable>): RowOf<IndexTable> =>
  table === 'field_gram' ? { workspace_id: row.workspace_id, field: row.field, record_id: row.record_id } : row

/** The rows of the first list that the second does not contain. */
export function rowsNotIn<R extends object>(rows: readonly R[], others: readonly R[]): readonly R[] {
  if (others.length === 0) return rows
  const known = new Set(others.map((row) => JSON.stringify(row)))
  return rows.filter((row) => !known.has(JSON.stringify(row)))
}

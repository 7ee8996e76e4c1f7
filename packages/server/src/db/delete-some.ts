import type { TableName } from './columns.ts'
import type { Tx } from './tx.ts'

type Some = {
  readonly table: TableName
  /** The primary key of the table without `workspace_id`. */
  readonly key: readonly string[]
  /** The rows whose `column` has one of the values. */
  readonly column: string
  readonly values: readonly string[]
  /** Rows to delete at most: what is deleted in one transaction is bounded. */
  readonly rowsMax: number
}

/** Deletes rows of a workspace by the values of one column, at most `rowsMax`; returns their number. */
export const deleteSome = (
  tx: Tx,
  workspaceId: string,
  { table, key, column, values, rowsMax }: Some,
): Promise<number> =>
  tx.change(({ knex, dialect }) => {
    const some = knex(table)
      .select(...key)
      .where('workspace_id', workspaceId)
      .where(dialect.oneOf(column, values))
      .limit(rowsMax)
    return knex(table)
      .where('workspace_id', workspaceId)
      .whereIn([...key], some)
      .delete()
  })

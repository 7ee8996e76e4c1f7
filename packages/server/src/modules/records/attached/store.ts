import type { RowOf, TableName } from '../../../db/columns.ts'
import { deleteSome } from '../../../db/delete-some.ts'
import type { Dependent } from '../dependents.ts'
import { readColumn } from '../../../db/rows.ts'

/** The tables whose rows have an id of their own. */
type Attached = { [T in TableName]: RowOf<T> extends { readonly id: string } ? T : never }[TableName]

type Rows = {
  readonly table: Attached
  /** The column with the id of the record. */
  readonly column: string
  /** Their name in the changes of a merge. */
  readonly path: string
  /** True if people have attached them. */
  readonly isKept?: boolean
}

/** Rows that hang on one record each: a merge moves them to the target, a purge deletes them. */
export const attachedRows = ({ table, column, path, isKept = false }: Rows): Dependent => ({
  async move({ tx, workspace: { workspaceId } }, fromIds, toId) {
    const moved = await tx.query<{ id: string }>(({ knex, dialect }) =>
      knex(table)
        .update({ [column]: toId })
        .where('workspace_id', workspaceId)
        .where(dialect.oneOf(column, fromIds))
        .returning('id'),
    )
    return moved.length === 0
      ? []
      : [{ op: 'add', path: [path], val: moved.map(({ id }) => id).toSorted(), oldVal: null }]
  },

  ...(isKept && {
    keep: (tx, workspaceId, recordIds) =>
      readColumn(tx, ({ knex, dialect }) =>
        knex(table)
          .distinct({ record_id: column })
          .where('workspace_id', workspaceId)
          .where(dialect.oneOf(column, recordIds)),
      ),
  }),

  purge: (tx, workspaceId, recordIds, rowsMax) =>
    deleteSome(tx, workspaceId, { table, key: ['id'], column, values: recordIds, rowsMax }),
})

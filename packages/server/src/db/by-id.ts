import type { Knex } from 'knex'
import type { TableName } from './columns.ts'
import type { LockPurpose } from './dialect.ts'
import type { Sql } from './sql.ts'
import { param, statement } from './statement.ts'
import type { ReadTx, Tx } from './tx.ts'

type Key = { readonly workspace_id: string; readonly id: string }

type Columns<Row> = readonly (keyof Row & string)[]

const rowById =
  (table: TableName, columns: readonly string[], key: string) =>
  ({ knex }: Sql): Knex.QueryBuilder =>
    knex(table)
      .select([...columns])
      .where({ workspace_id: param('workspace_id'), [key]: param('id') })

/** Returns a function that finds the row of a workspace by its id, or by another key. */
export function findById<Row>(table: TableName, columns: Columns<Row>, key = 'id') {
  const found = statement<Key, Row>(rowById(table, columns, key))
  return (tx: ReadTx, workspaceId: string, id: string): Promise<Row | undefined> =>
    tx.first(found, { workspace_id: workspaceId, id })
}

/** Returns a function that finds the row of a workspace by its id, and locks it until the transaction ends. */
export function lockById<Row>(table: TableName, columns: Columns<Row>, purpose: LockPurpose = 'change', key = 'id') {
  const one = rowById(table, columns, key)
  const locked = statement<Key, Row>((sql) => sql.dialect.locked(one(sql), purpose))
  return (tx: Tx, workspaceId: string, id: string): Promise<Row | undefined> =>
    tx.first(locked, { workspace_id: workspaceId, id })
}

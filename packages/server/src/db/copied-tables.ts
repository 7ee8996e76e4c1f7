import type { Knex } from 'knex'
import { isJson, kindOf } from './column-kinds.ts'
import { tables, type ColumnOf, type TableName } from './columns.ts'
import type { Row } from './executor.ts'
import { tupleAfter } from './expressions.ts'
import type { Sql } from './sql.ts'
import type { ReadTx, Tx } from './tx.ts'

/** A table whose rows of one workspace are copied into files, and from there into another database. */
export type CopiedTable = {
  /** The name of the file, without its extension. */
  readonly name: string
  readonly table: TableName
  /** The columns that are copied: all but the workspace and secrets. */
  readonly columns: readonly string[]
  /** The columns of the primary key that follow the workspace. */
  readonly key: readonly string[]
  /** Only the rows in which this column is null are copied. */
  readonly whereNull?: string | undefined
  /** Changes a row before it is inserted, and fills in the columns that are not copied. */
  readonly prepare?: ((row: Row) => Row) | undefined
}

type Options<T extends TableName> = Pick<CopiedTable, 'prepare'> & {
  readonly name: string
  readonly key: readonly ColumnOf<T>[]
  readonly without?: readonly ColumnOf<T>[]
  readonly whereNull?: ColumnOf<T>
}

/** Declares that the rows of a table are copied with their workspace. */
export function copiedTable<T extends TableName>(table: T, { without = [], ...options }: Options<T>): CopiedTable {
  const left: readonly string[] = ['workspace_id', ...without]
  return { table, columns: Object.keys(tables[table]).filter((column) => !left.includes(column)), ...options }
}

/** Rows as lines of JSON, and the key of the last one; undefined without rows. */
export type RowLines = { readonly lines: readonly string[]; readonly last: readonly unknown[] | undefined }

/** JSON is read under another name, by which nothing decodes it. */
const rawPrefix = 'raw_'

const selected = (sql: Sql, { table, columns }: CopiedTable): (string | Knex.Raw)[] =>
  columns.map((column) =>
    isJson(kindOf(table, column))
      ? sql`cast(${sql.ref(column)} as text) as ${sql.ref(`${rawPrefix}${column}`)}`
      : column,
  )

/** Reads the rows of a workspace after a key, in the order of their keys, each as one line of JSON. */
export async function listRowLines(
  tx: ReadTx,
  copied: CopiedTable,
  workspaceId: string,
  after: readonly unknown[] | undefined,
  rowsMax: number,
): Promise<RowLines> {
  const { table, key, columns, whereNull } = copied
  const rows = await tx.query<Row>((sql) => {
    const query = sql
      .knex(table)
      .select(selected(sql, copied))
      .where('workspace_id', workspaceId)
      .orderBy([...key])
      .limit(rowsMax)
    if (whereNull !== undefined) query.whereNull(whereNull)
    return after === undefined ? query : query.where(tupleAfter(sql, key, after, 'after'))
  })
  const names = columns.map((column) => `${JSON.stringify(column)}:`)
  const lines = rows.map((row) => {
    const members = columns.map((column, at) => {
      const raw = row[`${rawPrefix}${column}`]
      return `${names[at]}${typeof raw === 'string' ? raw : JSON.stringify(row[column] ?? null)}`
    })
    return `{${members.join(',')}}`
  })
  const last = rows.at(-1)
  return { lines, last: last && key.map((column) => last[column]) }
}

/** Inserts rows that were copied. Columns that none of them has are left to the database. */
export async function insertCopies(
  tx: Tx,
  { table }: Pick<CopiedTable, 'table'>,
  workspaceId: string,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return
  const present = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const complete = rows.map((row) => ({
    workspace_id: workspaceId,
    ...Object.fromEntries(present.map((column) => [column, row[column] ?? null])),
  }))
  await tx.executor.send({ change: 'insert', table, rows: complete })
}

/** Deletes all rows of a workspace. */
export const deleteCopies = (tx: Tx, table: TableName, workspaceId: string): Promise<number> =>
  tx.change(({ knex }) => knex(table).where('workspace_id', workspaceId).delete())

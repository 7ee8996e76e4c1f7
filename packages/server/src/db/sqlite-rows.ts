import { encode, kindOf } from './column-kinds.ts'
import type { TableName } from './columns.ts'
import type { Row, RowChange } from './executor.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { indexGrams } from './sqlite-grams.ts'
import type { Steps } from './sqlite-portions.ts'

/** Rows of one step. */
const stepRows = 20

/** Changes rows one by one, with one prepared statement for all of them. */
export function* changeRows(
  connection: SqliteConnection,
  { change, table, keys = [], rows, returning = [] }: RowChange,
): Steps<Row[]> {
  const changed = Object.keys(rows[0] ?? {}).filter((column) => !keys.includes(column))
  const columns = [...changed, ...keys].map((column) => [column, kindOf(table, column)] as const)
  const valuesOf = (row: Row): unknown[] => columns.map(([column, kind]) => encode(kind, row[column]))
  const text = texts[change](table, changed, keys)
  const found: Row[] = []
  const affected: Row[] = []
  for (const [index, row] of rows.entries()) {
    if (index % stepRows === stepRows - 1) yield
    if (change === 'delete' && returning.length > 0)
      found.push(...connection.all(`${text} returning ${returning.join(', ')}`, valuesOf(row)))
    else if (connection.run(text, valuesOf(row)) > 0) affected.push(row)
  }
  if (table === 'field_gram' && change !== 'delete') indexGrams(connection)
  if (returning.length === 0) return []
  if (change === 'delete') return found
  // The result of RETURNING is known here, and SQLite would build a table for it.
  return affected.map((row) => Object.fromEntries(returning.map((column) => [column, row[column] ?? null])))
}

type Text = (table: TableName, columns: readonly string[], keys: readonly string[]) => string

const insert: Text = (table, columns) =>
  `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`

const equal = (columns: readonly string[], separator: string): string =>
  columns.map((column) => `${column} = ?`).join(separator)

const texts: Readonly<Record<RowChange['change'], Text>> = {
  insert,
  insertNew: (table, columns) => `${insert(table, columns, [])} on conflict do nothing`,
  update: (table, columns, keys) => `update ${table} set ${equal(columns, ', ')} where ${equal(keys, ' and ')}`,
  delete: (table, columns) => `delete from ${table} where ${equal(columns, ' and ')}`,
}

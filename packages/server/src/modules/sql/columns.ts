import type { Sql } from '../../db/sql.ts'
import { defined } from '../../lib/guards.ts'
import { columnNames, findColumn, isSortable, isToMany, type Column } from '../objects/index.ts'
import { kindOf, namesIn, refused } from '../sql-grammar/index.ts'
import type { SqlTable, SqlTables } from './tables.ts'
import type { SqlKind, SqlValue } from './value.ts'

/** The kind of a column's values. */
export function columnKind(column: Column): SqlKind {
  if (column.kind === 'system') return column.column.endsWith('_at') ? 'time' : 'exact'
  const { name, comparedAs, exact } = column.field.type
  if (comparedAs === 'number' || comparedAs === 'flag') return comparedAs
  if (name === 'date') return 'date'
  if (name === 'timestamp') return 'stamp'
  return exact === true || column.guard !== undefined ? 'exact' : 'text'
}

/** A column of a table, with the name that it has in the text. */
export type FoundColumn = { readonly table: SqlTable; readonly name: string }

/** Finds the column that a part of the text names: in the table before it, or in the one table that has it. */
export function locate(part: unknown, tables: SqlTables): FoundColumn {
  const names = namesIn(kindOf(part)[1]['fields'])
  const [first, second] = names ?? []
  if (names === undefined || first === undefined || names.length > 2)
    throw refused('Write a column as column or table.column', part)
  if (second !== undefined) {
    const table = tables.get(first)
    if (table === undefined)
      throw refused(`There is no table "${first.slice(0, 64)}" in this SELECT`, part, undefined, [...tables.keys()])
    return { table, name: second }
  }
  const found = [...tables.values()].filter(({ object }) => findColumn(object, first) !== undefined)
  if (found.length > 1) throw refused(`Several tables have a column "${first}": write table.${first}`, part)
  return { table: found[0] ?? defined([...tables.values()][0]), name: first }
}

/** A column as a value of the query, noted among those that its table reads. */
export function columnValue(
  sql: Sql,
  { table, name }: FoundColumn,
  asSeen: (column: Column) => Column,
  part: unknown,
): SqlValue {
  const noted = table.columns.get(name)?.column ?? asSeen(requireColumn(table, name, part))
  const known = table.columns.get(name) ?? { column: noted, name: `c${table.columns.size}` }
  table.columns.set(name, known)
  const kind = columnKind(known.column)
  const value = sql.ref(`${table.name}.${known.name}`)
  if (kind === 'flag') return { kind, value: sql`(${value} = 1)` }
  return { kind, value, options: known.column.kind === 'field' ? known.column.field.options : undefined }
}

function requireColumn({ object }: SqlTable, name: string, part: unknown): Column {
  const column = findColumn(object, name)
  if (column !== undefined && isSortable(column)) return column
  const field = object.fields.get(name)
  if (field !== undefined && isToMany(field))
    throw refused(`${object.name} records may have many ${name}: join them`, part)
  const allowed = columnNames(object, true)
  throw refused(`${object.name} has no column "${name.slice(0, 64)}" that SQL can read`, part, undefined, allowed)
}

import { defined } from '../lib/guards.ts'
import { encode, kindOf, postgresTypes, travelsAsText } from './column-kinds.ts'
import type { ColumnKind, TableName } from './columns.ts'
import type { Row, RowChange } from './executor.ts'

type Sent = { readonly text: string; readonly values: unknown[] }

// One row is sent as values; several are sent as one array per column, so that one prepared text serves any number of
// rows.

export function changeRows({ change, table, rows, keys = [], returning }: RowChange): Sent {
  if (change === 'update') return updateRows(table, keys, rows)
  // The rows to be deleted are joined with those of the table, so that the columns need its name.
  if (change === 'delete') return deleteRows(table, rows, returned(returning?.map((column) => `${table}.${column}`)))
  return insertRows(table, rows, `${change === 'insertNew' ? ' on conflict do nothing' : ''}${returned(returning)}`)
}

const returned = (columns: readonly string[] | undefined): string =>
  columns === undefined ? '' : ` returning ${columns.join(', ')}`

function insertRows(table: TableName, rows: readonly Row[], ending: string): Sent {
  const { columns, one } = shapeOf(rows)
  const into = `insert into ${table} (${columns.join(', ')})`
  if (one !== undefined)
    return {
      text: `${into} values (${columns.map((_, index) => `$${index + 1}`).join(', ')})${ending}`,
      values: valuesOf(table, columns, one),
    }
  const { text, values } = given(table, columns, rows)
  return { text: `${into} select * from ${text}${ending}`, values }
}

function updateRows(table: TableName, keys: readonly string[], rows: readonly Row[]): Sent {
  const { columns, one } = shapeOf(rows)
  const assigned = (value: (column: string, index: number) => string): string =>
    columns
      .flatMap((column, index) => (keys.includes(column) ? [] : [`${column} = ${value(column, index)}`]))
      .join(', ')
  if (one !== undefined) {
    const sets = assigned((_, index) => `$${index + 1}`)
    return { text: `update ${table} set ${sets} where ${equal(keys, columns)}`, values: valuesOf(table, columns, one) }
  }
  const { text, values } = given(table, columns, rows)
  const sets = assigned((column) => `given.${column}`)
  return { text: `update ${table} set ${sets} from ${text} where ${matching(table, keys)}`, values }
}

function deleteRows(table: TableName, rows: readonly Row[], suffix: string): Sent {
  const { columns, one } = shapeOf(rows)
  if (one !== undefined)
    return {
      text: `delete from ${table} where ${equal(columns, columns)}${suffix}`,
      values: valuesOf(table, columns, one),
    }
  const { text, values } = given(table, columns, rows)
  return { text: `delete from ${table} using ${text} where ${matching(table, columns)}${suffix}`, values }
}

function shapeOf(rows: readonly Row[]): { columns: string[]; one: Row | undefined } {
  return { columns: Object.keys(defined(rows[0])), one: rows.length === 1 ? rows[0] : undefined }
}

const equal = (keys: readonly string[], columns: readonly string[]): string =>
  keys.map((key) => `${key} = $${columns.indexOf(key) + 1}`).join(' and ')

const matching = (table: TableName, keys: readonly string[]): string =>
  keys.map((key) => `${table}.${key} = given.${key}`).join(' and ')

const valuesOf = (table: TableName, columns: readonly string[], row: Row): unknown[] =>
  columns.map((column) => encode(kindOf(table, column), row[column]))

/**
 * A value that was sent as text, in the type of its column. The text of an array is taken apart: a cast of it would
 * depend on the session, for Postgres at least, and a distributed database refuses such an update.
 */
const fromText = (column: string, kind: ColumnKind): string =>
  kind === 'integers'
    ? `string_to_array(btrim(${column}, '{}'), ',')::${postgresTypes[kind]}`
    : `${column}::${postgresTypes[kind]}`

/**
 * An array for Postgres. Where no text has control characters, as encoded JSON has none, JSON escapes as Postgres does,
 * in half the time that the driver takes.
 */
const arrayOf = (kind: ColumnKind, values: readonly unknown[]): unknown =>
  kind === 'text' || kind === 'float' ? values : `{${JSON.stringify(values).slice(1, -1)}}`

/**
 * The rows as a table `given`. A workspace that all of them share is one value: Postgres then looks in one partition
 * only, where it would search all of them for each row (460 µs for an update of one record, 210 with it), and a
 * database that is sharded by workspace asks one node (docs/decisions/0142). JSON and arrays are sent as text, since
 * arrays of jsonb would be quoted twice, and arrays of arrays flattened.
 */
function given(table: TableName, columns: readonly string[], rows: readonly Row[]): Sent {
  const isOfOne = columns.length > 1 && rows.every((row) => row['workspace_id'] === rows[0]?.['workspace_id'])
  const listed = columns.filter((column) => column !== 'workspace_id' || !isOfOne)
  const values: unknown[] = listed.map((column) => {
    const kind = kindOf(table, column)
    return arrayOf(
      kind,
      rows.map((row) => encode(kind, row[column])),
    )
  })
  const arrays = listed.map((column, index) => {
    const kind = kindOf(table, column)
    return `$${index + 1}::${travelsAsText(kind) ? 'text' : postgresTypes[kind]}[]`
  })
  const selected = columns.map((column) => {
    if (!listed.includes(column)) return `$${values.push(rows[0]?.[column])}::uuid as ${column}`
    const kind = kindOf(table, column)
    return travelsAsText(kind) ? `${fromText(column, kind)} as ${column}` : column
  })
  return {
    text: `(select ${selected.join(', ')} from unnest(${arrays.join(', ')}) as raw(${listed.join(', ')})) as given`,
    values,
  }
}

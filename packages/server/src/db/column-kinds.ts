import { tables, type ColumnKind, type TableName } from './columns.ts'

/** Postgres types, for the casts of set-wise inserts. */
export const postgresTypes: Readonly<Record<ColumnKind, string>> = {
  uuid: 'uuid',
  text: 'text',
  integer: 'bigint',
  float: 'float8',
  boolean: 'boolean',
  json: 'jsonb',
  document: 'json',
  timestamp: 'bigint',
  integers: 'int4[]',
}

const isKind = (text: string | undefined): text is ColumnKind =>
  text !== undefined && Object.hasOwn(postgresTypes, text)

/** Decoding uses the column name alone, so a name has one kind in every table. */
const kindByName = new Map<string, ColumnKind>()
for (const columns of Object.values(tables)) {
  for (const [name, type] of Object.entries(columns)) {
    const [kind] = type.split(/[?=]/)
    if (!isKind(kind)) throw new Error(`Column ${name} is of no kind`)
    const known = kindByName.get(name)
    if (known !== undefined && known !== kind) throw new Error(`Column ${name} is both ${known} and ${kind}`)
    kindByName.set(name, kind)
  }
}

export const kindOfName = (name: string): ColumnKind | undefined => kindByName.get(name)

export const kindOf = (table: TableName, column: string): ColumnKind => {
  const kind = Object.hasOwn(tables[table], column) ? kindByName.get(column) : undefined
  if (kind === undefined) throw new Error(`No column ${table}.${column}`)
  return kind
}

/** Returns whether a column holds JSON. */
export const isJson = (kind: ColumnKind | undefined): boolean => kind === 'json' || kind === 'document'

/** Returns whether values are sent as text although the column has another type. */
export const travelsAsText = (kind: ColumnKind | undefined): boolean => isJson(kind) || kind === 'integers'

/** Encodes a value for the database: JSON columns as text, `integers` as an array literal. */
export function encode(kind: ColumnKind, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (kind === 'integers' && Array.isArray(value)) return integersText(value)
  return isJson(kind) ? JSON.stringify(value) : value
}

/** Postgres reads it as an array, and the tokeniser of SQLite as the numbers in it. */
export const integersText = (values: readonly unknown[]): string => `{${values.join(',')}}`

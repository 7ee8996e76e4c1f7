import type { CopiedTable } from '../../../db/copied-tables.ts'
import { kindOf } from '../../../db/column-kinds.ts'
import { tables, type ColumnKind, type TableName } from '../../../db/columns.ts'
import type { Row } from '../../../db/executor.ts'
import { isId } from '../../../kernel/ids.ts'
import { isString } from '../../../lib/guards.ts'
import { isStorable } from '../../../lib/texts.ts'

/** Milliseconds of the last instant that JavaScript knows. */
const timeMax = 8.64e15

/** Returns the fault of a row that was read from a file: a column that is unknown, missing or of another type. */
export function rowFault({ table, columns }: CopiedTable, row: Row): string | undefined {
  const unknown = Object.keys(row).find((name) => !columns.includes(name))
  if (unknown !== undefined)
    return (
      `The column ${JSON.stringify(unknown.slice(0, 100))} is unknown: ` +
      'a newer version of Kontor may have written it.'
    )
  for (const column of columns) {
    const fault = valueFault(table, column, row[column])
    if (fault !== undefined) return `"${column}" ${fault}.`
  }
  return undefined
}

type Check = { readonly accepts: (value: unknown) => boolean; readonly rule: string }

const json: Check = {
  accepts: (value) => isStorable(value),
  rule: 'has texts or numbers that cannot be stored, or is nested too deeply',
}

/** The values of each kind of column. */
const checks: Readonly<Record<ColumnKind, Check>> = {
  uuid: { accepts: (value) => isString(value) && isId(value), rule: 'must be an id' },
  text: { accepts: (value) => isString(value) && isStorable(value), rule: 'must be a text that can be stored' },
  integer: { accepts: Number.isSafeInteger, rule: 'must be a whole number' },
  timestamp: {
    accepts: (value) => Number.isSafeInteger(value) && Math.abs(Number(value)) <= timeMax,
    rule: 'must be milliseconds',
  },
  float: { accepts: Number.isFinite, rule: 'must be a number' },
  boolean: { accepts: (value) => typeof value === 'boolean', rule: 'must be true or false' },
  json,
  document: json,
  integers: json,
}

function valueFault(table: TableName, column: string, value: unknown): string | undefined {
  const type = typeOf(table, column)
  if (value === undefined) return /[?=]$/.test(type) ? undefined : 'is missing'
  if (value === null) return type.endsWith('?') ? undefined : 'must not be null'
  const { accepts, rule } = checks[kindOf(table, column)]
  return accepts(value) ? undefined : rule
}

const typeOf = (table: TableName, column: string): string =>
  String(Object.entries(tables[table]).find(([name]) => name === column)?.[1])

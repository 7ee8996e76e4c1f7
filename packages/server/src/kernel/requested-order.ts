import { type SortColumn, suggestion } from '@kontor/contract'
import { kindOfName } from '../db/column-kinds.ts'
import { isNameIn } from '../lib/guards.ts'
import type { WorkspaceReadContext } from './implement.ts'

/** A column to sort a list by, under its name in the database. */
export type Order<Column extends string> = { readonly column: Column; readonly descending: boolean }

/** An order, and whether its values are texts, which are compared regardless of case. */
export type SortOrder<Column extends string> = Order<Column> & { readonly isText: boolean }

type Bare<Name extends string> = Name extends `_${infer Column}` ? Column : Name

/** Returns the columns that a list is sorted by, for the names of the contract: `_created_at` is `created_at`. */
export function sortedColumns<Name extends string, Table extends string = ''>(
  names: readonly Name[],
  table?: Table,
): Readonly<Record<Name, `${Table}${Bare<Name>}`>>
export function sortedColumns(names: readonly string[], table = ''): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, `${table}${name.replace(/^_/, '')}`]))
}

/**
 * Reads the sort order of a list query. `columns` maps each name to its database column, `otherwise` is the default
 * order. An unknown name is answered with 400 and the known names.
 */
export function requestedOrder<Names extends string, Column extends string>(
  ctx: WorkspaceReadContext<'unknown_field'>,
  sortOrder: SortColumn | undefined,
  columns: Readonly<Record<Names, Column>>,
  otherwise: Order<Column>,
): SortOrder<Column> {
  if (sortOrder === undefined) return withKind(otherwise)
  const { column: name, dir } = sortOrder
  if (isNameIn(columns, name)) return withKind({ column: columns[name], descending: dir === 'DESC' })
  const allowed = Object.keys(columns)
  throw ctx.fail('unknown_field', {
    detail: `This list cannot be sorted by "${name.slice(0, 64)}".${suggestion(name, allowed)}`,
    source: { parameter: 'sortOrder[column]' },
    meta: { allowed },
  })
}

/** Returns the name of a column without its table: `name` of `u.name`. */
export const bareName = (column: string): string => column.slice(column.indexOf('.') + 1)

const withKind = <Column extends string>(order: Order<Column>): SortOrder<Column> => ({
  ...order,
  isText: kindOfName(bareName(order.column)) === 'text',
})

import { type SortColumn, suggestion } from '@kontor/contract'
import { isNameIn } from '../lib/guards.ts'
import type { WorkspaceReadContext } from './implement.ts'

/** A column to sort a list by, under its name in the database. */
export type Order<Column extends string> = { readonly column: Column; readonly descending: boolean }

/**
 * Reads the sort order of a list query. `columns` maps each name to its database column, `otherwise` is the default
 * order. An unknown name is answered with 400 and the known names.
 */
export function requestedOrder<Names extends string, Column extends string>(
  ctx: WorkspaceReadContext<'unknown_field'>,
  sortOrder: SortColumn | undefined,
  columns: Readonly<Record<Names, Column>>,
  otherwise: Order<Column>,
): Order<Column> {
  if (sortOrder === undefined) return otherwise
  const { column: name, dir } = sortOrder
  if (isNameIn(columns, name)) return { column: columns[name], descending: dir === 'DESC' }
  const allowed = Object.keys(columns)
  throw ctx.fail('unknown_field', {
    detail: `"${name.slice(0, 64)}" is no column that this list is sorted by.${suggestion(name, allowed)}`,
    source: { parameter: 'sortOrder[column]' },
    meta: { allowed },
  })
}

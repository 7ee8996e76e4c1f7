import type { SortColumn } from '@kontor/contract'
import type { WorkspaceReadContext } from './implement.ts'
import { suggestion } from './nearest.ts'

/** One column to sort a list by, as the database knows it. */
export type Order<Column extends string> = { readonly column: Column; readonly descending: boolean }

/**
 * The order that a list is asked for in; `columns` has the column of the database for each name, `otherwise` is the order
 * without one. A name that is none is 400 with those that are.
 */
export function requestedOrder<Names extends string, Column extends string>(
  ctx: WorkspaceReadContext<'unknown_field'>,
  sortOrder: SortColumn | undefined,
  columns: Readonly<Record<Names, Column>>,
  otherwise: Order<Column>,
): Order<Column> {
  if (sortOrder === undefined) return otherwise
  const { column: name, dir } = sortOrder
  if (Object.hasOwn(columns, name)) return { column: columns[name as Names], descending: dir === 'DESC' }
  const allowed = Object.keys(columns)
  throw ctx.fail('unknown_field', {
    detail: `"${name.slice(0, 64)}" is nothing to sort this list by.${suggestion(name, allowed)}`,
    source: { parameter: 'sortOrder[column]' },
    meta: { allowed },
  })
}

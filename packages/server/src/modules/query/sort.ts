import { type SortColumn, suggestion } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { workspaceSchemas } from '../schemas/index.ts'
import { type ObjectModel, columnNames, findColumn, isSortable, type Column } from '../objects/index.ts'
import { visibleColumn } from '../filters/index.ts'
import type { LocationOf } from '../../kernel/error-locations.ts'

export type SortKey = { readonly column: Column; readonly descending: boolean }

type SortContext = WorkspaceReadContext<'unknown_field'>

/** The default order of a list. */
export const byCreation: readonly SortKey[] = [
  { column: { kind: 'system', name: '_created_at', column: 'created_at' }, descending: false },
]

/**
 * Resolves the columns to sort by. The default is oldest first; an empty list sorts by id. The id breaks ties in the
 * direction of the first column.
 */
export async function resolveSort(
  ctx: SortContext,
  object: ObjectModel,
  sortOrder: SortColumn | readonly SortColumn[] | undefined,
  sourceOf: LocationOf,
): Promise<readonly SortKey[]> {
  if (sortOrder === undefined) return byCreation
  const asked = 'column' in sortOrder ? [sortOrder] : sortOrder
  const schemas = await workspaceSchemas(ctx)
  return asked.map(({ column: name, dir }, index) => {
    const column = visibleColumn(ctx, schemas, findColumn(object, name))
    if (column !== undefined && isSortable(column)) return { column, descending: dir === 'DESC' }
    const allowed = columnNames(object, true)
    throw ctx.fail('unknown_field', {
      detail: `${object.name} records cannot be sorted by "${name}".${suggestion(name, allowed)}`,
      source: Array.isArray(sortOrder) ? sourceOf(index, 'column') : sourceOf('column'),
      meta: { allowed },
    })
  })
}

import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { guardOf } from './hidden-references.ts'
import type { WorkspaceSchemas } from '../schemas/index.ts'
import type { Column } from '../objects/index.ts'

/** A column as the caller sees it: a reference to a hidden record is empty, in filters and sorts too. */
export function visibleColumn<C extends Column | undefined>(
  ctx: WorkspaceReadContext,
  schemas: WorkspaceSchemas,
  column: C,
): C {
  const guard = column?.kind === 'field' ? guardOf(ctx, schemas, column.field) : undefined
  return guard === undefined ? column : { ...column, guard }
}

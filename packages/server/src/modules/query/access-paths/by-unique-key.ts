import { visiblePart } from '@kontor/contract'
import { uniqueValue } from '../../indexes/index.ts'
import { uniqueName } from '../../objects/index.ts'
import { isEquality, type Condition } from '../filter.ts'
import { selectivities, type AccessPath, type PlanScope } from './access-path.ts'

/** The path by a unique value, which one record holds. */
export function uniqueKeyPath({ workspaceId, object }: PlanScope, condition: Condition): AccessPath | undefined {
  const { column, values } = condition
  if (column.kind !== 'field' || !column.field.unique || !isEquality(condition)) return undefined
  const keys = values.map((value) => uniqueValue(String(value)))
  return {
    rows: ({ knex, dialect }) =>
      knex('unique_key as s')
        .distinct('s.record_id')
        .where({ 's.workspace_id': workspaceId, 's.field': uniqueName(object, column.field) })
        .where(dialect.oneOf('s.key_value', keys, 'text')),
    // Unique values are compared without regard to case and to what is invisible at their ends, whatever the field type
    // does elsewhere.
    covers:
      column.field.type.exact === true ||
      column.guard !== undefined ||
      values.some((value) => visiblePart(String(value)) !== String(value))
        ? []
        : [condition],
    selectivity: selectivities.one,
    label: `the unique values of ${column.name}`,
  }
}

import { isId } from '../../../kernel/ids.ts'
import { linkEndOf } from '../../objects/index.ts'
import { isEquality, type Condition } from '../filter.ts'
import { selectivities, type AccessPath, type PlanScope } from './access-path.ts'

/** The path by a reference: the links of the record that it refers to. */
export function linkPath({ workspaceId, object }: PlanScope, condition: Condition): AccessPath | undefined {
  const { column, values } = condition
  if (column.kind !== 'field' || column.field.relationship === undefined || !isEquality(condition)) return undefined
  const ids = values.map(String).filter(isId)
  return {
    rows: ({ knex, dialect }) =>
      knex('link as s')
        .select('s.from_id as record_id')
        .where({ 's.workspace_id': workspaceId, 's.relationship': linkEndOf(object, column.field).relationship })
        .where(dialect.oneOf('s.to_id', ids))
        .whereNull('s.hidden_by'),
    covers: column.guard === undefined ? [condition] : [],
    selectivity: selectivities.equal,
    label: `the links of ${column.name}`,
  }
}

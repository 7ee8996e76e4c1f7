import { isId } from '../../../kernel/ids.ts'
import { isEquality, type Condition } from '../filter.ts'
import { selectivities, type AccessPath, type PlanScope } from './access-path.ts'

/** The path by id: the record table itself. */
export function idPath({ workspaceId, object }: PlanScope, condition: Condition): AccessPath | undefined {
  const { column, values } = condition
  if (column.kind !== 'system' || column.column !== 'id' || !isEquality(condition)) return undefined
  const ids = values.map(String).filter(isId)
  return {
    rows: ({ knex, dialect }) =>
      knex('record as s')
        .select('s.id as record_id')
        .where({ 's.workspace_id': workspaceId, 's.object': object.key })
        .whereNull('s.deleted_at')
        .where(dialect.oneOf('s.id', ids)),
    covers: [condition],
    selectivity: selectivities.one,
    label: 'the records themselves, by id',
  }
}

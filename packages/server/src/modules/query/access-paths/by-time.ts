import { compare } from '../../../db/expressions.ts'
import type { Column } from '../../objects/index.ts'
import { defined } from '../../../lib/guards.ts'
import type { Condition } from '../filter.ts'
import { comparisonOf } from '../filter-sql.ts'
import { selectivities, type AccessPath, type PlanScope } from './access-path.ts'

/** The path by a time of the record: the record table has indexes of its own for these. */
export const timePath = (
  { workspaceId, object }: PlanScope,
  column: Column,
  conditions: readonly Condition[],
): AccessPath => ({
  rows(sql) {
    const query = sql
      .knex('record as s')
      .select('s.id as record_id')
      .where({ 's.workspace_id': workspaceId, 's.object': object.key })
      .whereNull('s.deleted_at')
    const time = sql.knex.ref(`s.${column.kind === 'system' ? column.column : ''}`)
    for (const { op, values } of conditions) query.where(compare(sql, time, comparisonOf(op), defined(values[0])))
    return query
  },
  covers: conditions,
  selectivity: selectivities.some,
  label: `the index of ${column.name}`,
})

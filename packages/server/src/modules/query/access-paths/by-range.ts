import type { Knex } from 'knex'
import type { Sql } from '../../../db/sql.ts'
import { sharedAbove } from '../../access/index.ts'
import type { FieldType } from '../../fields/index.ts'
import { orderedKind } from '../../indexes/index.ts'
import { isCollection, isTime, type Column } from '../../objects/index.ts'
import { type Condition, isEmptyTest, isOrderComparison, comparisonOf } from '../../filters/index.ts'
import { selectivities, type AccessPath, type PlanScope } from './access-path.ts'
import { usesValueRows, orderedIndex, whereInRange, type IndexRange } from './index-range.ts'
import { compare } from '../../../db/expressions.ts'
import { defined } from '../../../lib/guards.ts'

/** The path by a time of the record: the record table has indexes of its own for these. */
const timePath = (
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

/** One access path for each column with an ordered index: all conditions on a column together are one index range. */
export function rangePathsOf(scope: PlanScope, leaves: readonly Condition[]): AccessPath[] {
  const own = leaves.filter(({ steps }) => steps.length === 0)
  const byColumn = new Map<string, [Condition, ...Condition[]]>()
  for (const leaf of own) {
    if (!usesValueRows(leaf.op)) continue
    // Each condition on items may be met by another row, so these conditions are not one range.
    const key = isCollection(leaf.column) ? `${leaf.column.name}.${byColumn.size}` : leaf.column.name
    const others = byColumn.get(key)
    if (others === undefined) byColumn.set(key, [leaf])
    else others.push(leaf)
  }
  const emptiness = own.filter(({ op }) => isEmptyTest(op) || op === 'Is not empty' || op === 'Is set')
  return [...byColumn.values(), ...emptiness.map((leaf): [Condition] => [leaf])].flatMap(
    (conditions) => rangePath(scope, conditions) ?? [],
  )
}

function rangePath(scope: PlanScope, conditions: readonly [Condition, ...Condition[]]): AccessPath | undefined {
  const [{ column, op }] = conditions
  if (isTime(column)) return isOrderComparison(op) || op === 'Is' ? timePath(scope, column, conditions) : undefined
  const kind = orderedKind(column)
  if (kind === undefined || !scope.usable(scope.object, column, kind)) return undefined
  // The ordered index holds only the first compared member of each item, as a text; the trigram index holds all that is
  // compared.
  if (op === 'Contains' && column.kind === 'field' && isComparedByMore(column.field.type)) return undefined
  const range: IndexRange = {
    index: orderedIndex(scope.object, column, kind),
    empty: isEmptyTest(op),
    conditions: usesValueRows(op) ? conditions : [],
  }
  const rows = (sql: Sql): Knex.QueryBuilder => {
    const query = whereInRange(
      sql,
      sql.knex(`${range.index.table} as s`).select('s.record_id'),
      scope.workspaceId,
      range,
    )
    // Each item has a row, and several may match; only one of them can equal a value.
    return isCollection(column) && op !== 'Is' && !range.empty ? query.distinct() : query
  }
  return {
    rows,
    publicRows: (sql, kept) =>
      rows(sql).where((either) => {
        either.where('s.visibility', '>', sharedAbove(scope.principal))
        if (kept !== undefined) either.orWhereIn('s.record_id', kept)
      }),
    covers: conditions,
    selectivity: Math.min(...conditions.map(selectivityOf)),
    label: `the index of ${column.name}`,
    range,
  }
}

const isComparedByMore = ({ itemMembers, itemForm }: FieldType): boolean =>
  itemMembers !== undefined || itemForm !== undefined

function selectivityOf({ op }: Condition): number {
  if (op === 'Is') return selectivities.equal
  if (op === 'Contains' || op === 'Ends with' || op === 'Like') return selectivities.scanned
  if (op === 'One of' || op === 'Starts with' || isOrderComparison(op)) return selectivities.some
  return isEmptyTest(op) ? selectivities.many : selectivities.most
}

import type { Knex } from 'knex'
import { linksOf } from '../../../db/expressions.ts'
import type { Sql } from '../../../db/sql.ts'
import { otherEnd } from '../../objects/index.ts'
import type { Condition, RelationshipStep } from '../../filters/index.ts'
import { selectivities, type AccessPath, type PlanScope } from './access-path.ts'

/**
 * The path along relationships, backwards: it finds the records at the end of a dotted path, then those that link to
 * them.
 */
export function relationshipPath(
  scope: PlanScope,
  condition: Condition,
  bestPath: (scope: PlanScope, condition: Condition) => AccessPath | undefined,
): AccessPath[] {
  const { steps } = condition
  // Negations and tests for empty values also hold for records that refer to none.
  const end = bestPath({ ...scope, object: steps.at(-1)?.target ?? scope.object }, { ...condition, steps: [] })
  if (
    end === undefined ||
    condition.op.startsWith('Is not') ||
    condition.op === 'Is empty' ||
    condition.op === 'Is set'
  )
    return []
  return [
    {
      rows: (sql) =>
        steps.reduceRight<Knex.QueryBuilder>((to, step) => linkedTo(sql, scope.workspaceId, step, to), end.rows(sql)),
      covers: [],
      selectivity: Math.min(end.selectivity + 1, selectivities.many),
      label: `${end.label}, and the links of ${steps.map(({ field }) => field.name).join('.')}`,
    },
  ]
}

/** The records that link to some others: each once, however many of its links match. */
function linkedTo(
  sql: Sql,
  workspaceId: string,
  { linkEnd, isToMany }: RelationshipStep,
  to: Knex.QueryBuilder,
): Knex.QueryBuilder {
  const links = sql.knex.from(
    linksOf(sql, to, { workspaceId, relationship: linkEnd.relationship, end: otherEnd(linkEnd) }),
  )
  return isToMany ? links.distinct(`l.${linkEnd.end} as record_id`) : links.select(`l.${linkEnd.end} as record_id`)
}

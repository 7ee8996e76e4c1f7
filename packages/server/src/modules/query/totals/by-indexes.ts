import { aliased, scalarSubquery } from '../../../db/expressions.ts'
import { totalInSql } from '../../counters/index.ts'
import { countDifference, labelsOf, type CoveringPaths } from './index-difference.ts'
import { capped, readTotal, type Total } from './total.ts'

/** A total that is counted by indexes alone, in one query, so that all its numbers are from one snapshot. */
export const indexTotal = (covering: CoveringPaths): Total => ({
  count: (tx, query) =>
    readTotal(tx, (sql) => {
      const { knex } = sql
      const { paths, without } = covering
      const [only, another] = paths
      const total =
        only !== undefined && another === undefined && without.length === 0
          ? scalarSubquery(sql, knex.count('* as total').from(capped(only.rows(sql), query).as('m')))
          : countDifference(
              sql,
              totalInSql(sql, query.workspaceId, query.object.key),
              paths.map(({ rows }) => rows),
              without.map(({ rows }) => rows),
            )
      return knex.select(aliased(sql, total, 'total'))
    }),
  explain: () => `The total is counted in ${labelsOf(covering)} alone.`,
})

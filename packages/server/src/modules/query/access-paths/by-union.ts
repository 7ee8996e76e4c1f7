import { defined } from '../../../lib/guards.ts'
import type { ResolvedFilter } from '../filter.ts'
import { coversFilter, selectivities, type AccessPath } from './access-path.ts'

/** The union of the best paths of alternatives; none if one of the alternatives has no path. */
export function unionPath(
  filter: Extract<ResolvedFilter, { or: unknown }>,
  bestPath: (alternative: ResolvedFilter) => AccessPath | undefined,
): AccessPath[] {
  const paths = filter.or.map(bestPath)
  if (paths.length === 0 || !paths.every((path) => path !== undefined)) return []
  return [
    {
      rows(sql) {
        const [first, ...rest] = paths.map((path) => path.rows(sql))
        return sql.knex.select('u.record_id').from(defined(first).union(rest).as('u'))
      },
      covers: paths.every((path, index) => coversFilter(path, defined(filter.or[index]))) ? [filter] : [],
      selectivity: Math.max(...paths.map(({ selectivity }) => selectivity), paths.length > 1 ? selectivities.some : 0),
      label: [...new Set(paths.map(({ label }) => label))].join(' and '),
    },
  ]
}

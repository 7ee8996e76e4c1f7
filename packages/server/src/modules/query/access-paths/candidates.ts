import { conjunctsOf, type Condition, type ResolvedFilter } from '../filter.ts'
import type { AccessPath, PlanScope } from './access-path.ts'
import { unionPath } from './by-union.ts'
import { idPath } from './by-id.ts'
import { linkPath } from './by-link.ts'
import { rangePathsOf } from './by-range.ts'
import { relationshipPath } from './by-relationship.ts'
import { searchPath } from './by-search.ts'
import { trigramPath } from './by-trigrams.ts'
import { uniqueKeyPath } from './by-unique-key.ts'

/** The candidates for a filter: every access path that finds its records, the most selective first. */
export function candidatesFor(scope: PlanScope, filter: ResolvedFilter): AccessPath[] {
  const conjuncts = conjunctsOf(filter)
  const conditions = conjuncts.filter((part): part is Condition => 'column' in part)
  const paths = [
    ...rangePathsOf(scope, conditions),
    ...conditions.flatMap((condition) => lookupPathsOf(scope, condition)),
    ...conjuncts.flatMap((part) =>
      'or' in part
        ? unionPath(part, (alternative) => candidatesFor(scope, alternative)[0])
        : 'search' in part
          ? [searchPath(part)]
          : [],
    ),
  ]
  return paths.toSorted((a, b) => a.selectivity - b.selectivity)
}

/** Access paths for one condition other than index ranges. */
const lookupPathsOf = (scope: PlanScope, condition: Condition): AccessPath[] =>
  condition.steps.length > 0
    ? relationshipPath(scope, condition, (end, own) => candidatesFor(end, own)[0])
    : [idPath, uniqueKeyPath, linkPath, trigramPath]
        .map((pathOf) => pathOf(scope, condition))
        .filter((path) => path !== undefined)

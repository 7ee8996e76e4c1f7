export { aggregateRecords } from './aggregate/aggregate.ts'
export { bodyLocations, queryLocations } from './error-locations.ts'
export { storedValue } from './column-sql.ts'
export { visibleColumn, type FilterContext } from './column-path.ts'
export {
  fromQuery,
  fromStored,
  fromTree,
  operatorOn,
  type Condition,
  type RelationshipStep,
  type ResolvedFilter,
} from './filter.ts'
export { hiddenReferencesOf, dataWith, presentOne, presentRecords, withChanges } from './present.ts'
export { Included } from './include/include.ts'
export {
  objectsOf,
  resolveInclude,
  resolveFields,
  type Inclusion,
  type ShownFields,
  type SparseFields,
} from './include/resolve.ts'
export { listDeletedRecords } from './list-deleted.ts'
export type { IdSet } from './list-query.ts'
export { listIdSet, listRecords, listWithin, queryRecords, streamRecords } from './list.ts'
export type { ListRequest } from './parse-list.ts'
export { linkedIdSet } from './access-paths/id-set.ts'
export { matchingStates, type RecordState } from './matching-states.ts'
export { containing, firstMatchesIdSet, matchingIdSet, selected } from './query-id-set.ts'
export { isRemoved, nameNow, objectNow, rewriteFilter, rewritePath, type SchemaChange } from './rewrite-filter.ts'
export { parseOperand, resolveBy, resolveFilter } from './resolve-filter.ts'
export { searchRecords } from './search-records.ts'
export { resolveSort, type SortKey } from './sort.ts'
export { dayComparisons } from './days.ts'
export { listTitles, listVisible, listVisibleDeleted } from './visible-records.ts'

export { aggregateRecords } from './aggregate/aggregate.ts'
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
export { containing, firstMatchesIdSet, matchingIdSet, selected } from './matching.ts'
export { searchRecords } from './search-records.ts'
export { resolveSort, type SortKey } from './sort.ts'
export { listTitles, listVisible, listVisibleDeleted } from './visible-records.ts'

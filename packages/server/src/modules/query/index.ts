export { bodyLocations, queryLocations } from './error-locations.ts'
export {
  fromQuery,
  fromTree,
  type Condition,
  type ConditionOperator,
  type RelationshipStep,
  type ResolvedFilter,
} from './filter.ts'
export { hiddenReferencesOf, type HiddenReferences } from './hidden-references.ts'
export { Included } from './include/include.ts'
export { objectsOf, resolveInclude, type Inclusion } from './include/resolve.ts'
export { listDeletedRecords } from './list-deleted.ts'
export type { IdSet } from './list-query.ts'
export { listIdSet, listRecords, listWithin, queryRecords, streamRecords } from './list.ts'
export type { ListRequest } from './parse-list.ts'
export { linkedIdSet } from './access-paths/id-set.ts'
export { presentOne, presentRecords } from './present.ts'
export { firstMatchesIdSet, matchingIdSet } from './query-id-set.ts'
export { optionsWith, parseOperand, resolveBy, resolveFilter } from './resolve-filter.ts'
export { searchRecords } from './search-records.ts'
export type { SortKey } from './sort.ts'
export { resolveFields, type ShownFields, type SparseFields } from './sparse-fields.ts'
export { visibleColumn } from './visible-column.ts'

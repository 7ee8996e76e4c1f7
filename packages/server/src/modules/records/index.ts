export { recordTargets } from './access-targets.ts'
export type { Dependent } from './dependents.ts'
export { parseBlocks, type Block } from './fields/blocks.ts'
export { itemLengthMax } from './fields/checks.ts'
export {
  pendingChangeOf,
  pairsOf,
  removedOptions,
  violationsOf,
  withoutOptions,
  type PendingSchemaChange,
  type FieldPair,
} from './pending-change.ts'
export type { Field } from './fields/field-type.ts'
export { itemsMax } from './fields/items.ts'
export { fieldKeywords } from './fields/keywords.ts'
export { compilePattern } from './fields/pattern.ts'
export { dryRunMeta, getRecord, recordHandlers, requireVisible } from './handlers.ts'
export { primaryIndexes } from './indexes/kinds.ts'
export { indexRows, indexTables } from './indexes/rows.ts'
export { FieldIndexes } from './indexes/service.ts'
export {
  countIndexes,
  deleteIndexStates,
  fieldIndexFacts,
  newestCreation,
  type FieldIndexFact,
  type IndexCount,
} from './indexes/store.ts'
export { uniqueValues } from './index-values.ts'
export {
  compileField,
  compileObject,
  findObject,
  objectAccess,
  indexName,
  isToMany,
  linkOf,
  listObjects,
  otherEnd,
  relationshipFields,
  typeOf,
  uniqueName,
  type ObjectModel,
} from './object.ts'
export { lockAssignedCounterparts } from './one-to-one/lock.ts'
export { presentOne } from './present.ts'
export { redactChanges } from './visibility/redact-changes.ts'
export { visibleColumn } from './query/visible-column.ts'
export {
  columnNames,
  findColumn,
  indexKeysOf,
  isOfItems,
  isSortable,
  isTime,
  listColumns,
  operatorsOf,
  type Column,
} from './query/columns.ts'
export {
  fromQuery,
  fromTree,
  type Condition,
  type ConditionOperator,
  type RelationshipStep,
  type ResolvedFilter,
} from './query/filter.ts'
export { optionsWith, parseOperand, resolveBy, resolveFilter } from './query/resolve-filter.ts'
export type { SortKey } from './query/sort.ts'
export { objectsOf, resolveInclude, type Inclusion } from './include/resolve.ts'
export type { ListRequest } from './query/parse-list.ts'
export { resolveFields, type ShownFields, type SparseFields } from './query/sparse-fields.ts'
export { bodyLocations, queryLocations } from './query/error-locations.ts'
export { firstMatchesIdSet, matchingIdSet } from './query/query-id-set.ts'
export { listIdSet, listRecords, listWithin, queryRecords, streamRecords } from './query/list.ts'
export type { IdSet } from './query/list-query.ts'
export { linkedIdSet } from './query/plan/id-set.ts'
export { listDeletedRecords } from './recovery/list-deleted.ts'
export { purge, purgeRecords, type PurgeOptions, type Purged } from './recovery/purge.ts'
export { searchesOtherwise } from './search/document.ts'
export { rebuildSearchDocuments } from './search/fill.ts'
export { searchRecords } from './query/search-records.ts'
export { recordJobs } from './jobs.ts'
export { findRecord, lockRecords } from './rows/store.ts'
export { recordColumns, type RecordRow } from './row.ts'
export type { RecordData } from './fields/record-data.ts'
export { Faults, type FaultSink } from './write/faults.ts'
export { addLinks, letGo, removeLinks, requireRelated, takeOver, updateReference } from './write/links.ts'
export { createWithLinks } from './write/create-with-links.ts'
export { putProjection } from './write/project.ts'
export { findTarget, lockTargets } from './write/target.ts'
export { inClaimOrder } from './write/uniques.ts'
export { applyUpdates } from './write/update.ts'

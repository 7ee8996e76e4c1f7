export { searchesOtherwise, readingsOf, termsOf, type Term } from './documents/document.ts'
export { rebuildSearchDocuments } from './documents/fill.ts'
export { gramsOfTerms } from './documents/grams.ts'
export { readIndexed } from './expected.ts'
export { gramLength, gramsOf, unknownGram } from './grams.ts'
export { recordJobs, FieldIndexes, type IndexFacts } from './service.ts'
export {
  isBuiltInIndex,
  keyOf,
  kindsOf,
  orderedKind,
  indexedColumn,
  primaryIndexes,
  gramScope,
  indexRows,
  indexTables,
  itemSeparator,
  truncate,
  textValueMax,
  uniqueValue,
  uniqueValues,
  type FieldIndex,
  type Indexable,
} from './rows.ts'
export type { KeptTotals } from './kept-totals.ts'
export { fieldIndexFacts, type FieldIndexFact } from './facts.ts'
export { countIndexes, deleteIndexStates, deleteStatesOf, newestCreation } from './store.ts'
export { buildInAdvance } from './in-advance.ts'
export { gatherIndexStatistics } from './statistics.ts'
export { rowChanges, writeIndexRows } from './write.ts'

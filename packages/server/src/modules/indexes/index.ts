export { searchesOtherwise } from './documents/document.ts'
export { rebuildSearchDocuments } from './documents/fill.ts'
export { gramsOfTerms } from './documents/grams.ts'
export { readingsOf, termsOf, type Term } from './documents/words.ts'
export { readIndexed } from './expected.ts'
export { gramLength, gramsOf, unknownGram } from './grams.ts'
export { recordJobs } from './jobs.ts'
export { isBuiltInIndex, keyOf, kindsOf, orderedKind, indexedColumn, primaryIndexes, type FieldIndex } from './kinds.ts'
export type { KeptTotals } from './kept-totals.ts'
export {
  gramScope,
  indexRows,
  indexTables,
  itemSeparator,
  truncate,
  textValueMax,
  uniqueValue,
  uniqueValues,
  type Indexable,
} from './rows.ts'
export { FieldIndexes, type IndexFacts } from './service.ts'
export {
  countIndexes,
  deleteIndexStates,
  deleteStatesOf,
  fieldIndexFacts,
  newestCreation,
  type FieldIndexFact,
  type IndexState,
} from './store.ts'
export { indexStates, rowsNotIn, writeIndexRows } from './write.ts'

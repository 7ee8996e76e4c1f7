export { guardOf, visibleColumn, type FilterContext } from './column-path.ts'
export { comparedValue, isRanked, rankedOptions, sortedValue, storedValue } from './column-sql.ts'
export { comparisonOf, filterCondition, isEmptyTest, isOrderComparison, negatedPart } from './condition-sql.ts'
export { dayComparisons } from './days.ts'
export {
  conjunctsOf,
  fromQuery,
  fromStored,
  fromTree,
  isEquality,
  operatorOn,
  type Condition,
  type ConditionOperator,
  type GivenFilter,
  type RelationshipStep,
  type ResolvedFilter,
} from './filter.ts'
export { parseOperand, resolveBy, resolveByColumns, resolveFilter } from './resolve.ts'
export { isRemoved, nameNow, objectNow, rewriteFilter, rewritePath, type SchemaChange } from './rewrite.ts'
export { anywhere, containsReading, matchingDocuments, type Search } from './search-sql.ts'

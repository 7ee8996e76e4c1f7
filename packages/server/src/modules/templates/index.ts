export { diffIn, lookUp, pathOf, segmentsOf, withIndexes, type RunScope } from './path.ts'
export { conditionBudget, operatorOf } from './compare.ts'
export { conditionField, fieldFault, namesOfField } from './condition-field.ts'
export { changedField, judge, type Verdict } from './conditions.ts'
export { holdsTree, leavesIn, resolveTree, treeExcess } from './filter-tree.ts'
export { textOf } from './syntax.ts'
export {
  FilledTooMuch,
  fillInput,
  fillText,
  isJsonTemplate,
  needsZone,
  type Syntaxes,
  templatesIn,
  variablesIn,
  withPaths,
} from './template.ts'
export { firstOf, instantIn, readTime } from './times.ts'
export { numeralOf, TemplateFault, typesBehind } from './variable-filters.ts'
export { type Variable } from './variable.ts'
export type { Syntax } from './writers.ts'

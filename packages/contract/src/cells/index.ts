export { CellFault } from './cell-fault.ts'
export { fieldOf, fieldWriter, isToMany, referencedObject, uniqueFields, writable } from './fields.ts'
export { matchOf, type LinkedValue } from './linked-values.ts'
export { compileLinks, linkedObject } from './links.ts'
export {
  compileMapping,
  linkedObjects,
  MappingFault,
  readTarget,
  type LinkedSchemas,
  type Mapped,
  type Mapping,
  type MapOption,
  type MappingOptions,
} from './mapping.ts'
export { dateOrders, type Notation } from './notation.ts'
export { guessNotation, type NotationGuess } from './guess-notation.ts'
export { proposeMapping, type Proposal } from './proposal.ts'
export { rowReason } from './row-reason.ts'
export { compileSource } from './template.ts'
export { type CellText, type Writer } from './values.ts'

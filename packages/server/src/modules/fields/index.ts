export { parseBlocks, saysSomething, type RichTextBlock } from './blocks.ts'
export { compileChecks, emptyFault, itemLengthMax } from './checks.ts'
export { isCountry, normaliseDomain, normaliseEmail, normalisePhone, partOfEmail } from './contact-points.ts'
export { isZoneless, parseDate, parseTimestamp } from './dates.ts'
export type { Field, FieldType, IndexKind, ParseContext, Report } from './field-type.ts'
export { fieldTypes } from './field-types.ts'
export { itemsMax } from './items.ts'
export { fieldKeywords } from './keywords.ts'
export { dateOperators, idOperators } from './operators.ts'
export { thingTypes } from './participants.ts'
export { compilePattern } from './pattern.ts'
export {
  fitted,
  pairsOf,
  pendingChangeOf,
  removedOptions,
  violationsOf,
  withoutOptions,
  mergedIdsKey,
  type FieldPair,
  type PendingSchemaChange,
  type Violation,
  type RecordData,
} from './pending-change.ts'
export { canonicalField, checkSpelling, placeAsSent } from './spellings.ts'

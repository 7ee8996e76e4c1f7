import { itemLengthMax, itemsMax } from '../fields/index.ts'
import type { Condition, ResolvedFilter } from '../filters/index.ts'

/**
 * Records of an object that are read at once, and on SQLite in this process: a millisecond or two. Scans of more take
 * turns, in which a small workspace would wait for those of large ones.
 */
const recordsMax = 500

/** Characters that the conditions of a small scan may read, which takes up to 100 ms. */
const charactersMax = 10_000_000

/** Returns whether the records of an object are so few, and their values so short, that a scan takes no turn. */
export const isSmallScan = (records: number, filter: ResolvedFilter | undefined): boolean =>
  records <= recordsMax && (filter === undefined || records * charactersOf(filter) <= charactersMax)

/** Returns how many characters the conditions of a filter read of one record at most. */
function charactersOf(filter: ResolvedFilter): number {
  if ('column' in filter) return filter.steps.length > 0 ? Infinity : lengthOf(filter)
  if ('not' in filter) return charactersOf(filter.not)
  // Of other records there may be any number.
  if ('search' in filter || 'exists' in filter) return Infinity
  return ('and' in filter ? filter.and : filter.or).reduce((sum, part) => sum + charactersOf(part), 0)
}

/** Returns how long a value of a column can be. */
function lengthOf({ column }: Condition): number {
  if (column.kind === 'system') return itemLengthMax
  const { lengthMax, comparedAs } = column.field.type
  return lengthMax ?? (comparedAs === 'items' ? itemsMax * itemLengthMax : itemLengthMax)
}

import type { FilterValue } from '@kontor/contract'
import type { Column } from '../objects/index.ts'

/** Tells whether a text is an option of the column as a whole, whatever signs and commas are in it. */
export const isOption = (column: Column, value: FilterValue): boolean =>
  column.kind === 'field' && typeof value === 'string' && column.field.options?.has(value) === true

/** The values of a list with commas: an option is never split, and neither is what is no text. */
export const listed = (column: Column, value: FilterValue): readonly FilterValue[] =>
  typeof value === 'string' && !isOption(column, value) ? value.split(',') : [value]

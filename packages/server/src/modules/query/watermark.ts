import type { RecordRow, Column } from '../objects/index.ts'
import type { Condition, ResolvedFilter } from '../filters/index.ts'

type TimeColumn = Extract<Column, { kind: 'system' }>

const sinceOperators: ReadonlySet<Condition['op']> = new Set<Condition['op']>(['Is after', 'Is on or after'])

const isSince = ({ steps, column, op }: Condition, name: string): boolean =>
  steps.length === 0 && column.kind === 'system' && column.name === name && sinceOperators.has(op)

/** Finds the column of a condition that must hold for the whole list. */
function findRequired(filter: ResolvedFilter, name: string): TimeColumn | undefined {
  if ('and' in filter) return filter.and.map((part) => findRequired(part, name)).find((column) => column !== undefined)
  return 'column' in filter && isSince(filter, name) && filter.column.kind === 'system' ? filter.column : undefined
}

/**
 * The time column of a list that asks for what happened since some instant, as pollers do; undefined for most lists.
 */
export const watermarkColumn = (filter: ResolvedFilter | undefined): TimeColumn | undefined =>
  filter && (findRequired(filter, '_updated_at') ?? findRequired(filter, '_created_at'))

/** The end of a list: later changes are left to the next poll. */
export type WatermarkBound = { readonly column: TimeColumn; readonly watermark: number }

export const untilWatermark = (filter: ResolvedFilter, { column, watermark }: WatermarkBound): ResolvedFilter => ({
  and: [filter, { steps: [], column, op: 'Is on or before', values: [watermark] }],
})

/**
 * Tells whether a row is still before the watermark: rows are read after their keys, and may have changed in between.
 */
export const isBeforeWatermark = (row: RecordRow, { column, watermark }: WatermarkBound): boolean =>
  column.column !== 'updated_at' || row.updated_at <= watermark

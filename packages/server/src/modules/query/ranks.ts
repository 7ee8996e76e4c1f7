import type { Field } from '../fields/index.ts'
import type { Column } from '../objects/index.ts'

type RankedColumn = Extract<Column, { kind: 'field' }>

/** Tells whether a list is sorted by the order of a column's options, and not by their names. */
export const isRanked = (column: Column): column is RankedColumn =>
  column.kind === 'field' && column.field.type.name === 'select'

/** The options of a select in their order: by rank, or where they have none by their place. */
export function rankedOptions({ options, schema }: Field): string[] {
  const places = [...(options ?? [])].map((option, place) => ({
    option,
    rank: schema.xSvcEnumMetadata?.[option]?.rank ?? place,
  }))
  return places.toSorted((one, other) => one.rank - other.rank).map(({ option }) => option)
}

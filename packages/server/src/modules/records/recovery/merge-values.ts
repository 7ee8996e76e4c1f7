import { isList, isString, itemsOf } from '../../../lib/guards.ts'
import { withoutOptions, type Field, itemsMax, mergedIdsKey, type RecordData } from '../../fields/index.ts'
import type { ObjectModel, RecordRow } from '../../objects/index.ts'
import { unitedItems } from '../write/strategies.ts'

/** A collection that would exceed the limit of items. */
export type Overflow = { readonly field: Field; readonly items: number }

/**
 * The document of a merge target: its own values win, empty ones are filled in the order of the sources, collections
 * are united. A reference that would lead to the record itself is left out. Pure.
 */
export function mergedData(
  object: ObjectModel,
  target: RecordRow,
  sources: readonly RecordRow[],
  country?: string,
): { readonly data: RecordData; readonly overflows: readonly Overflow[] } {
  const rows = [target, ...sources]
  const ids = new Set<unknown>(rows.map(({ id }) => id))
  const data: Record<string, unknown> = { ...target.data }
  const overflows: Overflow[] = []
  for (const field of object.attributes) {
    // Sources do not decide the visibility of the target.
    if (field === object.visibility) continue
    const { key, type, relationship } = field
    const values = rows
      .map((row) => withoutOptions(field, row.data[key], field.clearing))
      .filter((value) => value !== undefined && !(relationship !== undefined && ids.has(value)))
    if (values.length === 0) delete data[key]
    else if (type.comparedAs !== 'items') data[key] = values[0]
    else {
      const items = unitedItems(
        field,
        values.flatMap((value) => itemsOf(value)),
        country,
      )
      if (items.length > itemsMax) overflows.push({ field, items: items.length })
      data[key] = { items }
    }
  }
  data[mergedIdsKey] = [...mergedIds(target), ...sources.flatMap((source) => [...mergedIds(source), source.id])]
  return { data, overflows }
}

/** The ids that were ever merged into a record, the earliest first. */
export function mergedIds({ data }: RecordRow): readonly string[] {
  const ids = data[mergedIdsKey]
  return isList(ids) ? ids.filter(isString) : []
}

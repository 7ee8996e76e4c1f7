import type { SortColumn } from '@kontor/contract'
import { UsageError } from '../errors.ts'

export type Filters = Record<string, Record<string, string>>

const condition = /^(?:filter\[)?([^[\]=]+)\]?(?:\[([^\]]*)\])?(?:=(.*))?$/s

/** Reads `field=value`, `field[Operator]=value` and `field[Is empty]`; undefined where there is none. */
export function parseFilters(texts: readonly string[] = []): Filters | undefined {
  const filters: Filters = {}
  for (const text of texts) {
    const [, field, operator, value] = condition.exec(text) ?? []
    if (field === undefined || (operator === undefined && value === undefined)) {
      throw new UsageError(`"${text}" is no condition; write 'field=value' or 'field[Operator]=value'.`)
    }
    const op = operator ?? 'Is'
    const conditions = (filters[field.trim()] ??= {})
    if (op in conditions) throw new UsageError(`There are two conditions "${op}" on "${field}".`)
    conditions[op] = value ?? ''
  }
  return texts.length === 0 ? undefined : filters
}

/** Reads `field`, `field:asc` and `field:desc`; undefined where there is none. */
export function parseSorts(texts: readonly string[] = []): SortColumn[] | undefined {
  const sorts = texts.flatMap((text) => text.split(',')).map((text): SortColumn => {
    const [, column, dir = 'asc'] = /^([^:]+)(?::(asc|desc))?$/i.exec(text.trim()) ?? []
    if (column === undefined) throw new UsageError(`"${text}" is no order; write 'field', 'field:asc' or 'field:desc'.`)
    return { column, dir: dir.toUpperCase() as SortColumn['dir'] }
  })
  return sorts.length === 0 ? undefined : sorts
}

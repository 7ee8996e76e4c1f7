import { multiValued, operators, type Filter, type SortColumn } from '@kontor/contract'
import { UsageError } from '../errors.ts'

/** By field: a value, which the field compares in its own way, or several by their operators. */
export type Filters = Record<string, string | Record<string, string>>

const condition = /^(?:filter\[)?([^[\]=]+)\]?(?:\[([^\]]*)\])?(?:=(.*))?$/s

/** Reads `field=value`, `field[Operator]=value` and `field[Is empty]`; undefined where there is none. */
export function parseFilters(texts: readonly string[] = []): Filters | undefined {
  const filters = new Map<string, Map<string, string>>()
  for (const text of texts) {
    const [, field, operator, value] = condition.exec(text) ?? []
    if (field === undefined || (operator === undefined && value === undefined)) {
      throw new UsageError(`"${text}" is no condition; write 'field=value' or 'field[Operator]=value'.`)
    }
    const conditions = filters.get(field.trim()) ?? new Map<string, string>()
    if (conditions.has(operator ?? bare))
      throw new UsageError(`There are two conditions${operator === undefined ? '' : ` "${operator}"`} on "${field}".`)
    filters.set(field.trim(), conditions.set(operator ?? bare, value ?? ''))
  }
  return texts.length === 0
    ? undefined
    : Object.fromEntries([...filters].map(([field, conditions]) => [field, spelled(conditions)]))
}

const bare = ''

function spelled(conditions: ReadonlyMap<string, string>): string | Record<string, string> {
  const value = conditions.get(bare)
  if (value !== undefined && conditions.size === 1) return value
  return Object.fromEntries(
    [...conditions].map(([operator, operand]) => [operator === bare ? 'Is' : operator, operand]),
  )
}

/** The operators that take several values, by all of their names. */
const several: ReadonlySet<string> = new Set([...multiValued].flatMap((name) => [name, ...operators[name]]))

/** Reads the same conditions as a filter tree, in which a value alone means `Is`; undefined where there is none. */
export function parseFilterTree(texts: readonly string[] = []): Filter | undefined {
  const filters = parseFilters(texts)
  if (filters === undefined) return undefined
  const conditions = Object.entries(filters).flatMap(([field, given]) =>
    Object.entries(typeof given === 'string' ? { Is: given } : given).map(([op, value]) => ({
      field,
      op,
      ...(value !== '' && { value: several.has(op) ? value.split(',') : value }),
    })),
  )
  return { and: conditions }
}

/** Reads `field`, `field:asc` and `field:desc`; undefined where there is none. */
export function parseSorts(texts: readonly string[] = []): SortColumn[] | undefined {
  const sorts = texts
    .flatMap((text) => text.split(','))
    .map((text): SortColumn => {
      const [, column, dir = 'asc'] = /^([^:]+)(?::(asc|desc))?$/i.exec(text.trim()) ?? []
      if (column === undefined)
        throw new UsageError(`"${text}" is no order; write 'field', 'field:asc' or 'field:desc'.`)
      return { column, dir: dir.toUpperCase() as SortColumn['dir'] }
    })
  return sorts.length === 0 ? undefined : sorts
}

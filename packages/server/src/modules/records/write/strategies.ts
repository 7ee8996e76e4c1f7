import { isRecord, itemsOf, memberOf } from '../../../lib/guards.ts'
import { withoutOptions, type Field } from '../../fields/index.ts'
import type { ObjectModel, RecordRow } from '../../objects/index.ts'
import type { Faults } from './faults.ts'
import {
  checkWritten,
  shapeOf,
  type GivenRecord,
  type Strategies,
  type Strategy,
  type Values,
} from './parse-attributes.ts'

/**
 * Returns the strategies of a creation with `match_on` for the record that it finds: by default it removes nothing. A
 * text in blocks is one value, as any other text.
 */
export const upsertStrategies = ({ attributes }: ObjectModel): Strategies =>
  new Map(
    attributes.flatMap((field): [Field, Strategy][] => {
      const shape = shapeOf(field)
      return shape === 'collection' ? [[field, 'unite']] : shape === 'object' ? [[field, 'merge']] : []
    }),
  )

/** A change of a record that is read and locked. */
export type Update = {
  readonly row: RecordRow
  readonly values: Values
  readonly strategies: Strategies
  readonly path: readonly (string | number)[]
  /** That of phone numbers that name none. */
  readonly country?: string | undefined
}

const keyOfItem = ({ type }: Field, item: unknown, country: string | undefined): unknown =>
  type.itemKey?.(item, country) ?? item

/** Removes duplicate items; the first of equal items stays, completed by what only the others tell. */
export function unitedItems(field: Field, items: readonly unknown[], country?: string): unknown[] {
  const byKey = new Map<unknown, unknown>()
  for (const item of items) {
    const key = keyOfItem(field, item, country)
    const before = byKey.get(key)
    byKey.set(key, before === undefined ? item : (field.type.completeItem?.(before, item) ?? before))
  }
  return [...byKey.values()]
}

/** The value of a field after a write; null if nothing is left. */
export function applyStrategy(
  field: Field,
  strategy: Strategy | undefined,
  stored: unknown,
  value: unknown,
  country?: string,
): unknown {
  if (strategy === undefined || value === null) return value
  if (strategy === 'merge') return merged(field, stored, value)
  if (field.type.name === 'rich_text') return { text: [stored, value].flatMap((one) => memberOf(one, 'text') ?? []) }
  const before = itemsOf(withoutOptions(field, stored, field.clearing))
  const items = joinedItems(field, strategy, before, itemsOf(value), country)
  return items.length === 0 ? null : { items }
}

function merged({ type }: Field, stored: unknown, value: unknown): unknown {
  if (!isRecord(value)) return value
  const before = isRecord(stored) ? stored : {}
  if (type.merge !== undefined) return type.merge(before, value) ?? null
  const parts = Object.entries({ ...before, ...value }).filter(([name]) => value[name] !== null)
  return Object.fromEntries(parts)
}

function joinedItems(
  field: Field,
  strategy: Exclude<Strategy, 'merge'>,
  before: readonly unknown[],
  given: readonly unknown[],
  country: string | undefined,
): unknown[] {
  if (strategy === 'append') return unitedItems(field, [...before, ...given], country)
  if (strategy === 'unite') return unitedItems(field, [...given, ...before], country)
  const keys = new Set(given.map((item) => keyOfItem(field, item, country)))
  return before.filter((item) => !keys.has(keyOfItem(field, item, country)))
}

/** The values of a new record: there is nothing yet that something could be removed from. */
export const startingValues = (values: Values, strategies: Strategies): Values =>
  strategies.size === 0 ? values : new Map([...values].filter(([field]) => strategies.get(field) !== 'remove'))

/**
 * A change of a record by strategies, with the faults of what it would store. A composite is joined as it was sent,
 * since a part that is absent stays and one that is null goes; a collection that is sent empty has nothing to join.
 */
export function joinWith(
  row: RecordRow,
  { values, attributes, path }: Pick<GivenRecord, 'attributes' | 'path'> & { readonly values: Values },
  strategies: Strategies,
  faults: Faults,
  country?: string,
): Update {
  const joined = new Map<Field, unknown>()
  for (const [field, value] of values) {
    const strategy = strategies.get(field)
    const sent = memberOf(attributes, field.name)
    if (strategy !== undefined && strategy !== 'merge' && value === null && sent !== null) continue
    const given = strategy === 'merge' && isRecord(sent) ? sent : value
    joined.set(field, given)
    if (strategy !== undefined)
      checkWritten(
        field,
        applyStrategy(field, strategy, row.data[field.key], given, country),
        [...path, field.name],
        faults,
      )
  }
  return { row, values: joined, strategies, path, country }
}

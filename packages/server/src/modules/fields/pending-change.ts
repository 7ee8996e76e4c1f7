import { isDeepStrictEqual } from 'node:util'
import type { FieldSchema, Keyword } from '@kontor/contract'
import { isOneOf, itemsOf } from '../../lib/guards.ts'
import type { Field } from './field-type.ts'

/** A field before and after a schema change, matched by its key; `before` is undefined for a new field. */
export type FieldPair = { readonly before: Field | undefined; readonly after: Field }

type Fields = {
  readonly key: string
  readonly fields: ReadonlyMap<string, Field>
  readonly attributes: readonly Field[]
}

/** A pending schema change: what it requires of the records before it takes effect. */
export type PendingSchemaChange = {
  /** Fields whose values may become invalid: every record is checked. */
  readonly checked: readonly FieldPair[]
  /** Fields that become unique: every record claims its values as unique keys. */
  readonly claimed: readonly Field[]
  /** Fields that get rows in the field index. */
  readonly indexed: readonly Field[]
}

export function pairsOf(before: Fields, after: Fields): FieldPair[] {
  const byKey = new Map([...before.fields.values()].map((field) => [field.key, field]))
  return [...after.fields.values()].map((field) => ({ before: byKey.get(field.key), after: field }))
}

export function pendingChangeOf(before: Fields, after: Fields): PendingSchemaChange {
  const pairs = pairsOf(before, after).filter(({ after: field }) => after.attributes.includes(field))
  const old = pairs.filter((pair) => pair.before !== undefined)
  return {
    checked: pairs.filter(mayInvalidate),
    claimed: old
      .filter(({ before: was, after: now }) => now.unique && (was?.unique !== true || was.uniqueKey !== now.uniqueKey))
      .map(({ after: now }) => now),
    indexed: old
      .filter(({ before: was, after: now }) => now.primary && (was?.primary !== true || was.indexKey !== now.indexKey))
      .map(({ after: now }) => now),
  }
}

const isSelect = ({ type }: Field): boolean => type.name === 'select' || type.name === 'multi_select'

/** Removed options that records may still have. */
export const removedOptions = ({ before, after }: FieldPair): string[] =>
  before === undefined || !isSelect(before) || before.type !== after.type
    ? []
    : [...(before.options ?? [])].filter((option) => after.options?.has(option) !== true)

function mayInvalidate(pair: FieldPair): boolean {
  const { before, after } = pair
  if (before === undefined) return after.required
  if (before.type !== after.type || (after.required && !before.required)) return true
  // A cleared value may be a required one.
  if (removedOptions(pair).length > 0 && (after.required || (after.schema.minItems ?? 0) > 0)) return true
  return isTightened(before.schema, after.schema, isSelect(after))
}

const narrower: readonly Keyword[] = ['minLength', 'minimum', 'minItems']
const wider: readonly Keyword[] = ['maxLength', 'maximum', 'maxItems']
const others: readonly Keyword[] = ['type', 'const', 'format', 'pattern', 'multipleOf', 'items', 'uniqueItems']

function number(schema: FieldSchema, keyword: Keyword, none: number): number {
  const value = schema[keyword]
  return typeof value === 'number' ? value : none
}

/**
 * Tells whether a rule of a field is new or stricter. Options of a select do not count, since values are cleared
 * together with them.
 */
function isTightened(before: FieldSchema, after: FieldSchema, select: boolean): boolean {
  if (narrower.some((keyword) => number(after, keyword, -Infinity) > number(before, keyword, -Infinity))) return true
  if (wider.some((keyword) => number(after, keyword, Infinity) < number(before, keyword, Infinity))) return true
  if (others.some((keyword) => after[keyword] !== undefined && !isDeepStrictEqual(after[keyword], before[keyword])))
    return true
  const { enum: choices } = after
  return (
    !select &&
    choices !== undefined &&
    before.enum?.every((choice) => choices.some((one) => isDeepStrictEqual(one, choice))) !== true
  )
}

export type Violation = { readonly field: string; readonly detail: string }

/** The violations of the new schema by a record's values. Removed options count as cleared. */
export function violationsOf({ checked }: Pick<PendingSchemaChange, 'checked'>, data: RecordData): Violation[] {
  return checked.flatMap((pair) => {
    const found = new Set<string>()
    checkPair(pair, data, (detail) => found.add(detail))
    return [...found].map((detail) => ({ field: pair.after.name, detail }))
  })
}

function checkPair(pair: FieldPair, data: RecordData, report: (detail: string) => void): void {
  const { before, after } = pair
  const value = withoutOptions(after, data[after.key], removedOptions(pair))
  if (value === undefined) {
    if (after.required) report(`${after.title} is required.`)
  } else if (before?.type === after.type) after.checks.forEach((check) => check(value, report))
  else checkAnew(after, value, report)
}

/**
 * Adapts a record to a schema that changed while the record was deleted: removed options are cleared, values of removed
 * fields are left out, and everything else that no longer fits is reported.
 */
export function fitted(
  { attributes }: Pick<Fields, 'attributes'>,
  data: RecordData,
): { readonly data: RecordData; readonly violations: readonly Violation[] } {
  const merged = data[mergedIdsKey]
  const changed: Record<string, unknown> = merged === undefined ? {} : { [mergedIdsKey]: merged }
  const violations: Violation[] = []
  for (const field of attributes) {
    const value = withoutOptions(field, data[field.key], unknownOptions(field, data[field.key]))
    if (value !== undefined) changed[field.key] = value
    const report = (detail: string) => violations.push({ field: field.name, detail })
    if (value !== undefined) checkAnew(field, value, report)
    else if (field.required) report(`${field.title} is required.`)
  }
  return { data: changed, violations }
}

function unknownOptions(field: Field, value: unknown): string[] {
  if (!isSelect(field) || value === undefined) return []
  const held = field.type.name === 'select' ? [value] : itemsOf(value)
  return held.filter((option): option is string => typeof option === 'string' && field.options?.has(option) !== true)
}

/**
 * Checks a value that was stored under another type: it must be valid in its stored form, because nothing is converted.
 */
function checkAnew(field: Field, value: unknown, report: (detail: string) => void): void {
  let faulty = false
  const note = (detail: string) => {
    faulty = true
    report(detail)
  }
  const stored = field.type.parse(value, field, note, { newId: () => '' })
  if (faulty) return
  if (isDeepStrictEqual(stored, value)) field.checks.forEach((check) => check(value, report))
  else report(`Must be written as a ${field.type.name} is stored, for example ${JSON.stringify(stored).slice(0, 100)}.`)
}

/** A stored value without some options; undefined if nothing is left. */
export function withoutOptions(field: Field, value: unknown, gone: readonly string[]): unknown {
  if (gone.length === 0 || value === undefined) return value
  if (field.type.name === 'select') return isOneOf(gone, value) ? undefined : value
  const items = itemsOf(value).filter((item) => !isOneOf(gone, item))
  return items.length === 0 ? undefined : { items }
}

/** The stored values of a record, by the key of their field. */
export type RecordData = Readonly<Record<string, unknown>>

/**
 * Member of a document that is not a field: the ids that were merged into its record. Few records have any, so it is
 * not a column.
 */
export const mergedIdsKey = '_merged_ids'

import { isDeepStrictEqual } from 'node:util'
import type { FieldSchema, Keyword } from '@kontor/contract'
import type { Field } from './fields/field-type.ts'
import { mergedIdsKey, type RecordData } from './store.ts'

/** A field before and after a change of its object, known by its key; `before` is undefined where it is new. */
export type FieldPair = { readonly before: Field | undefined; readonly after: Field }

type Fields = {
  readonly key: string
  readonly fields: ReadonlyMap<string, Field>
  readonly attributes: readonly Field[]
}

/** What a change of an object asks of its records before it can be put in force. */
export type PendingSchemaChange = {
  /** Fields whose values may be none any more: every record is looked at. */
  readonly checked: readonly FieldPair[]
  /** Fields that become unique: every record claims its values. */
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

/** Options that records may have and that are none any more. */
export const removedOptions = ({ before, after }: FieldPair): string[] =>
  before === undefined || !isSelect(before) || before.type !== after.type
    ? []
    : [...(before.options ?? [])].filter((option) => after.options?.has(option) !== true)

function mayInvalidate(pair: FieldPair): boolean {
  const { before, after } = pair
  if (before === undefined) return after.required
  if (before.type !== after.type || (after.required && !before.required)) return true
  // A value that is cleared may be one that has to be there.
  if (removedOptions(pair).length > 0 && (after.required || (after.schema.minItems ?? 0) > 0)) return true
  return isTightened(before.schema, after.schema, isSelect(after))
}

const narrower: readonly Keyword[] = ['minLength', 'minimum', 'minItems']
const wider: readonly Keyword[] = ['maxLength', 'maximum', 'maxItems']
const others: readonly Keyword[] = ['type', 'const', 'format', 'pattern', 'multipleOf', 'items', 'uniqueItems']

const number = (schema: FieldSchema, keyword: Keyword, none: number): number =>
  (schema[keyword] as number | undefined) ?? none

/** Whether a rule of a field is new or stricter; the options of a select are no such rule, since values are cleared with them. */
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

/** Everything that the new schema says against the values of a record. Options that are removed count as cleared. */
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
 * A record as it may be today, where its schema may have changed while nobody looked: options that are none any more are
 * cleared, values of fields that are gone are left out, anything else that no longer fits is told.
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
  const held = field.type.name === 'select' ? [value] : ((value as { items?: readonly unknown[] }).items ?? [])
  return held.filter((option): option is string => typeof option === 'string' && field.options?.has(option) !== true)
}

/** A value of another type must be one of this type, in the form in which it is stored: nothing is converted. */
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

/** A stored value without some options; undefined where nothing is left. */
export function withoutOptions(field: Field, value: unknown, gone: readonly string[]): unknown {
  if (gone.length === 0 || value === undefined) return value
  if (field.type.name === 'select') return gone.includes(value as string) ? undefined : value
  const items = ((value as { items?: readonly string[] }).items ?? []).filter((item) => !gone.includes(item))
  return items.length === 0 ? undefined : { items }
}

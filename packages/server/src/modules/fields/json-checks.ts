import type { FieldSchema, JsonType } from '@kontor/contract'
import { isList, isRecord } from '../../lib/guards.ts'
import type { Check, Report } from './field-type.ts'
import { given, rule, valueChecks } from './value-checks.ts'

const typeOf = (value: unknown): JsonType =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : (typeof value as JsonType)

const isOf = (value: unknown, type: JsonType): boolean =>
  typeOf(value) === type || (type === 'integer' && Number.isInteger(value))

const withArticle = (type: JsonType): string => (/^[aio]/.test(type) ? `an ${type}` : `a ${type}`)

/** Checks that a JSON value has one of the types that a schema names; any type if it names none. */
export function typeCheck(type: FieldSchema['type']): Check[] {
  const named = [type ?? []].flat().filter((one) => one !== 'null')
  return named.length === 0
    ? []
    : [rule((value) => named.some((one) => isOf(value, one)), `Must be ${named.map(withArticle).join(' or ')}.`)]
}

/** Checks the number of items; `lengthOf` returns undefined for a value without items. */
export const countChecks = (
  { minItems, maxItems }: FieldSchema,
  lengthOf: (value: unknown) => number | undefined,
): Check[] => [
  ...given(minItems, (least) =>
    rule((value) => (lengthOf(value) ?? least) >= least, `Must have at least ${least} items.`),
  ),
  ...given(maxItems, (most) => rule((value) => (lengthOf(value) ?? most) <= most, `Must have at most ${most} items.`)),
]

/** Applies checks to each item of an array. */
export const eachItem =
  (checks: readonly Check[]): Check =>
  (value, report) =>
    (isList(value) ? value : []).forEach((item, index) =>
      checks.forEach((check) => check(item, (detail, path = []) => report(detail, [index, ...path]))),
    )

const onArrays =
  (check: Check): Check =>
  (value, report) => {
    if (Array.isArray(value)) check(value, report)
  }

const ofType =
  (kind: 'string' | 'number', checks: readonly Check[]): Check =>
  (value, report) => {
    if (typeof value === kind) checks.forEach((check) => check(value, report))
  }

/** The checks of JSON Schema that apply to arrays only. */
export function arrayChecks(schema: FieldSchema, lengthMax: number): Check[] {
  return [
    ...countChecks(schema, (value) => (Array.isArray(value) ? value.length : undefined)),
    ...(schema.uniqueItems === true ? [onArrays(reportTwins)] : []),
    ...given(schema.items, (items) => onArrays(eachItem(jsonItemChecks(items, lengthMax)))),
  ]
}

/** Checks of one item. Keywords for texts do not apply to numbers, and the other way round. */
function jsonItemChecks(
  { type, const: only, enum: options, minimum, maximum, multipleOf, ...texts }: NonNullable<FieldSchema['items']>,
  lengthMax: number,
): Check[] {
  return [
    ...typeCheck(type),
    ...valueChecks({ const: only, enum: options }, lengthMax),
    ofType('string', valueChecks(texts, lengthMax)),
    ofType('number', valueChecks({ minimum, maximum, multipleOf }, lengthMax)),
  ]
}

function reportTwins(value: unknown, report: Report): void {
  const seen = new Set<string>()
  for (const [index, item] of (isList(value) ? value : []).entries()) {
    const text = canonical(item)
    if (seen.has(text)) report('Must not occur twice.', [index])
    seen.add(text)
  }
}

/** Writes JSON with sorted members, so that equal values are equal texts. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )

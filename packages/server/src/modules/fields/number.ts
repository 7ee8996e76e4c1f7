import type { FieldSchema } from '@kontor/contract'
import type { FieldType } from './field-type.ts'
import { numberKeywords } from './keywords.ts'
import { numberOperators } from './operators.ts'
import { alike, valueShape } from './shape.ts'

/** DECIMAL(16,4): twelve digits before the point. */
const magnitudeMax = 1e12

/** Tells whether a number has at most four decimals, by its shortest spelling, as in JSON. */
const hasFourDecimals = (value: number): boolean => Number(value.toFixed(4)) === value

/** Tells whether the JSON type is `integer`, with at most null besides it. */
const isWhole = ({ type }: FieldSchema): boolean =>
  [type ?? []]
    .flat()
    .filter((one) => one !== 'null')
    .join() === 'integer'

const numberType = (name: 'number' | 'currency'): FieldType => ({
  name,
  comparedAs: 'number',
  jsonTypes: ['number', 'integer'],
  keywords: [...numberKeywords, 'xSvcUnique'],
  path: [],
  operators: numberOperators,
  indexes: ['number'],
  empty: null,
  shape: ({ schema }) => alike(valueShape(isWhole(schema) ? 'integer' : 'number', schema)),
  parse(value, _field, report) {
    if (typeof value !== 'number' || !Number.isFinite(value)) return report('Must be a number.')
    if (Math.abs(value) >= magnitudeMax) return report('Must be less than 1,000,000,000,000.')
    if (!hasFourDecimals(value)) return report('Must have at most 4 decimals.')
    return value === 0 ? 0 : value
  },
  parseOperand: parseNumber,
})

function parseNumber(value: string | number | boolean): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

export const number = numberType('number')
export const currency = numberType('currency')

const ratingMax = 5

export const rating: FieldType = {
  ...numberType('number'),
  name: 'rating',
  shape: ({ schema }) =>
    alike(
      valueShape('integer', {
        ...schema,
        minimum: Math.max(0, schema.minimum ?? 0),
        maximum: Math.min(ratingMax, schema.maximum ?? ratingMax),
      }),
    ),
  keywords: numberKeywords,
  parse: (value, _field, report) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= ratingMax
      ? value
      : report(`Must be a whole number from 0 to ${ratingMax}.`),
}

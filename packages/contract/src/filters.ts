import { z } from 'zod'

/** Every operator by the name that a filter spells; the aliases are for people who type. */
export const operators = {
  Is: ['eq'],
  'Is not': ['ne'],
  Contains: ['contains'],
  'Does not contain': ['ncontains'],
  'Starts with': ['starts_with'],
  'Ends with': ['ends_with'],
  'Greater than': ['gt'],
  'Greater than or equal': ['gte'],
  'Less than': ['lt'],
  'Less than or equal': ['lte'],
  'Is before': ['before', 'lt'],
  'Is on or before': ['lte'],
  'Is after': ['after', 'gt'],
  'Is on or after': ['gte'],
  Within: ['within'],
  'One of': ['in'],
  'Not one of': ['nin'],
  'Is empty': ['is_null'],
  'Is not empty': ['not_null'],
  'Is set': ['not_null'],
  'Is not set': ['is_null'],
} as const satisfies Record<string, readonly string[]>

export type Operator = keyof typeof operators

/** Operators that need no value, each with its opposite, which it means with the value false. */
const opposites: ReadonlyMap<Operator, Operator> = new Map([
  ['Is empty', 'Is not empty'],
  ['Is not empty', 'Is empty'],
  ['Is set', 'Is not set'],
  ['Is not set', 'Is set'],
])

/** Operators that need no value. */
export const valueless: ReadonlySet<Operator> = new Set(opposites.keys())

/**
 * Returns the operator that a condition means: `filter[name][is_null]=false` is `filter[name][not_null]`; undefined for
 * an operator that needs no value, and a value that says nothing about it.
 */
export function meantOperator(op: Operator, value: unknown): Operator | undefined {
  const opposite = opposites.get(op)
  if (opposite !== undefined && [false, 'false'].some((one) => one === value)) return opposite
  return opposite === undefined || [true, 'true', '', null, undefined].some((one) => one === value) ? op : undefined
}

/** The fault of an operator with a value that says nothing about it. */
export const valuelessText = (op: Operator): string => `"${op}" needs no value; true and false are the only ones.`

/** Operators that take several values. */
export const multiValued: ReadonlySet<Operator> = new Set<Operator>(['One of', 'Not one of'])

export type FilterValue = string | number | boolean | null

/** The one filter tree: query strings, dynamic lists and workflow conditions all become this. */
export type Filter =
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] }
  | { readonly not: Filter }
  | { readonly field: string; readonly op: string; readonly value?: FilterValue | readonly FilterValue[] | undefined }

export const filterConditionsMax = 50
export const filterDepthMax = 5
/** References that a dotted path may go along. */
export const filterHopsMax = 3
export const filterValuesMax = 1000

const scalars = [z.string().max(10_000), z.number(), z.boolean(), z.null()] as const
const filterValue = z.union([...scalars, z.array(z.union(scalars)).max(filterValuesMax)])

/** `filter[field]=value` and `filter[field][Operator]=value`; all conditions must hold. */
export const filterQuery = {
  filter: z
    .record(z.string().min(1).max(200), z.union([filterValue, z.record(z.string().max(40), filterValue)]))
    .optional()
    .meta({
      description:
        'Conditions by field: `filter[job_title]=Senator`, or with an operator: `filter[amount][Greater ' +
        'than]=5000`. All must be true. Repeat the parameter for several values of one condition, also as ' +
        '`filter[stage][]`.',
      example: { job_title: 'Senator', amount: { 'Greater than': 5000 } },
    }),
}

export type FilterQuery = z.output<(typeof filterQuery)['filter']>

const condition = z.strictObject({
  field: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: 'A field, or a dotted path along references.', example: 'company_id.name' }),
  op: z.string().min(1).max(40).meta({ description: 'An operator or its alias.', example: 'Contains' }),
  value: filterValue.optional(),
})

/** A filter as a tree, for OR and NOT: `{or: [{field, op, value}, {and: […]}, {not: …}]}`. */
export const filterTree: z.ZodType<Filter> = z
  .union([
    condition,
    z.strictObject({
      get and() {
        return z.array(filterTree).min(1).max(filterConditionsMax)
      },
    }),
    z.strictObject({
      get or() {
        return z.array(filterTree).min(1).max(filterConditionsMax)
      },
    }),
    z.strictObject({
      get not() {
        return filterTree
      },
    }),
  ])
  .meta({ id: 'Filter', description: 'A condition, or a tree of them.' })

import {
  filterConditionsMax,
  filterDepthMax,
  filterHopsMax,
  type Filter,
  type FilterQuery,
  type FilterValue,
  type Operator,
} from '@kontor/contract'
import type { ErrorSource } from '../../kernel/errors.ts'
import type { Principal } from '../access/index.ts'
import type { Field } from '../fields/index.ts'
import type { LinkEnd } from '../schemas/index.ts'
import type { ObjectModel, Column } from '../objects/index.ts'
import type { Search } from './search-sql.ts'

/** A step along a relationship, from a record to the one that it refers to or to any of those that it is linked to. */
export type RelationshipStep = {
  readonly field: Field
  readonly linkEnd: LinkEnd
  readonly isToMany: boolean
  readonly target: ObjectModel
  readonly principal: Principal<'read'>
}

/** Operator of a condition: one of the filter operators, or `LIKE`, which only the SQL of lists offers. */
export type ConditionOperator = Operator | 'Like'

/** A checked condition: its field, operator and values fit together; SQL is compiled from it. */
export type Condition = {
  readonly steps: readonly RelationshipStep[]
  readonly column: Column
  readonly op: ConditionOperator
  readonly values: readonly (string | number)[]
}

/** Tells whether a condition asks for one value or for one of several. */
export const isEquality = ({ op }: Condition): boolean => op === 'Is' || op === 'One of'

/**
 * The operator of a condition on a column. Where items are compared by a form, one that equals an operand contains it
 * with its ends marked.
 */
export function operatorOn(column: Column, op: Operator): Operator {
  if (column.kind === 'system' || column.field.type.itemForm === undefined) return op
  return op === 'Is' ? 'Contains' : op === 'Is not' ? 'Does not contain' : op
}

/**
 * A condition that some record at the end of relationship steps satisfies a whole filter; separate conditions could
 * each be satisfied by another record.
 */
type Existence = { readonly exists: readonly RelationshipStep[]; readonly where: ResolvedFilter | undefined }

export type ResolvedFilter =
  | { readonly and: readonly ResolvedFilter[] }
  | { readonly or: readonly ResolvedFilter[] }
  | { readonly not: ResolvedFilter }
  | { readonly search: Search }
  | Existence
  | Condition

/** A condition as it was sent; without an operator, its value may be a shorthand. */
export type GivenCondition = {
  readonly field: string
  readonly op: string | undefined
  readonly value: FilterValue | readonly FilterValue[]
  /** True if a text may be a list with commas, as in a URL. */
  readonly mayList: boolean
  /** True of a stored condition: what was ignored when it was stored is ignored. */
  readonly isStored?: true
  /** Location in the request, as it was spelled. */
  readonly source: ErrorSource
}

export type GivenFilter =
  | { readonly and: readonly GivenFilter[] }
  | { readonly or: readonly GivenFilter[] }
  | { readonly not: GivenFilter }
  | GivenCondition

/** Reads the filter of a query string: each member is one or several conditions on a field, and all must hold. */
export const fromQuery = (query: NonNullable<FilterQuery>): { readonly and: readonly GivenCondition[] } => ({
  and: Object.entries(query).flatMap(([field, given]): GivenCondition[] =>
    isByOperator(given)
      ? Object.entries(given).map(([op, value]) => ({
          field,
          op: op === '' ? undefined : op,
          value,
          mayList: true,
          source: { parameter: op === '' ? `filter[${field}]` : `filter[${field}][${op}]` },
        }))
      : [{ field, op: undefined, value: given, mayList: true, source: { parameter: `filter[${field}]` } }],
  ),
})

const isByOperator = (given: unknown): given is Record<string, FilterValue | FilterValue[]> =>
  typeof given === 'object' && given !== null && !Array.isArray(given)

/** Reads the filter tree of a body; each leaf keeps its location. */
export const fromTree = (tree: Filter, pointer: string): GivenFilter => fromPart(tree, pointer, { mayList: false })

/**
 * Reads a stored filter tree. Until they were told apart, a text could be a list in a tree too, and an operator that
 * needs no value could have any.
 */
export const fromStored = (tree: Filter): GivenFilter => fromPart(tree, '', { mayList: true, isStored: true })

type Reading = Pick<GivenCondition, 'mayList' | 'isStored'>

function fromPart(tree: Filter, pointer: string, reading: Reading): GivenFilter {
  const parts = (name: string, all: readonly Filter[]) =>
    all.map((part, index) => fromPart(part, `${pointer}/${name}/${index}`, reading))
  if ('and' in tree) return { and: parts('and', tree.and) }
  if ('or' in tree) return { or: parts('or', tree.or) }
  if ('not' in tree) return { not: fromPart(tree.not, `${pointer}/not`, reading) }
  return { field: tree.field, op: tree.op, value: tree.value ?? null, ...reading, source: { pointer } }
}

/** Describes the limit that a filter exceeds, if any; checked before any name is looked up. */
export function exceededLimit(filter: GivenFilter): string | undefined {
  if (depthOf(filter) > filterDepthMax) return `A filter can be nested at most ${filterDepthMax} deep.`
  const leaves = leavesOf(filter)
  if (leaves.length > filterConditionsMax) return `A filter can have at most ${filterConditionsMax} conditions.`
  return leaves.some(({ field }) => field.split('.').length > filterHopsMax + 2)
    ? `A path can follow at most ${filterHopsMax} relationships.`
    : undefined
}

const partsOf = (filter: GivenFilter): readonly GivenFilter[] =>
  'and' in filter ? filter.and : 'or' in filter ? filter.or : 'not' in filter ? [filter.not] : []

const depthOf = (filter: GivenFilter): number =>
  Math.max(0, ...partsOf(filter).map((part) => ('field' in part ? 0 : depthOf(part)))) + 1

/** The parts of a filter that must all hold, with nested conjunctions flattened. */
export const conjunctsOf = (filter: ResolvedFilter): readonly ResolvedFilter[] =>
  'and' in filter ? filter.and.flatMap(conjunctsOf) : [filter]

/** The conditions of a filter. */
export const leavesOf = (filter: GivenFilter): GivenCondition[] =>
  'field' in filter ? [filter] : partsOf(filter).flatMap(leavesOf)

/** Tells whether a text is an option of the column as a whole, whatever signs and commas are in it. */
export const isOption = (column: Column, value: FilterValue): boolean =>
  column.kind === 'field' && typeof value === 'string' && column.field.options?.has(value) === true

/** The values of a list with commas: an option is never split, and neither is what is no text. */
export const listed = (column: Column, value: FilterValue): readonly FilterValue[] =>
  typeof value === 'string' && !isOption(column, value) ? value.split(',') : [value]

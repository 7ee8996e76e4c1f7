import type { IndexKind } from '../../fields/index.ts'
import { gramLength, kindsOf, orderedKind, type FieldIndex } from '../../indexes/index.ts'
import { isCollection, type ObjectModel } from '../../objects/index.ts'
import { isEquality, type Condition, type ResolvedFilter, negatedPart, isEmptyTest } from '../../filters/index.ts'
import type { ListQuery } from '../list-query.ts'
import { literalParts, usesTrigrams } from './by-trigrams.ts'
import { usesValueRows } from './index-range.ts'

/** An index that a list could use, whether it exists or not. */
export type UsefulIndex = { readonly object: ObjectModel; readonly index: FieldIndex }

/** The indexes that a list could use: one for its first sort column, and those for the columns of its filter. */
export function usefulIndexes({ object, sort, filter }: Pick<ListQuery, 'object' | 'sort' | 'filter'>): UsefulIndex[] {
  const column = sort[0]?.column
  const kind =
    column === undefined || isCollection(column) || (column.kind === 'field' && column.guard !== undefined)
      ? undefined
      : orderedKind(column)
  const sorted = column === undefined || kind === undefined ? [] : [{ object, index: { column, kind } }]
  return [
    ...sorted,
    ...(filter === undefined ? [] : conditionsOf(filter).flatMap((one) => usefulIndexesFor(object, one))),
  ]
}

/**
 * The conditions of a filter. A negation stands for the condition that it denies: an index counts that one, even though
 * the negation itself selects nearly everything.
 */
function conditionsOf(filter: ResolvedFilter): readonly Condition[] {
  const negated = negatedPart(filter)
  if (negated !== undefined) return conditionsOf(negated)
  if ('column' in filter) return [filter]
  if ('not' in filter || 'search' in filter || 'exists' in filter) return []
  return ('and' in filter ? filter.and : filter.or).flatMap(conditionsOf)
}

const usefulIndexesFor = (object: ObjectModel, condition: Condition): UsefulIndex[] =>
  kindsFor(condition).map((kind) => ({
    object: condition.steps.at(-1)?.target ?? object,
    index: { column: condition.column, kind },
  }))

function kindsFor(condition: Condition): readonly IndexKind[] {
  const { column, op, values, steps } = condition
  if (column.kind === 'field' && column.guard !== undefined) return []
  // The unique keys and the links already answer these.
  if (
    column.kind === 'field' &&
    isEquality(condition) &&
    (column.field.unique || column.field.relationship !== undefined)
  )
    return []
  const kinds = kindsOf(column)
  const isShort = literalParts({ op, values }).every((part) => Array.from(part).length < gramLength)
  if (usesTrigrams(op)) return kinds.filter((kind) => (kind === 'grams') !== isShort)
  const isUseful = usesValueRows(op) || (steps.length === 0 && isEmptyTest(op))
  return isUseful ? kinds.filter((kind) => kind !== 'grams') : []
}

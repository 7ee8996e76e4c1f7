import { allOf, anyOf, compare, like, likeEscape, linksOf } from '../../../db/expressions.ts'
import type { Knex } from 'knex'
import { defined } from '../../../lib/guards.ts'
import type { Sql } from '../../../db/tx.ts'
import { isId } from '../../../kernel/ids.ts'
import { uniqueValue, gramsOf, unknownGram, placeOf, gramScope, itemSeparator } from '../../indexes/index.ts'
import { linkOf, otherEnd, uniqueName, isOfItems, type Column } from '../../objects/index.ts'
import { documentsFound } from '../search-sql.ts'
import type { Condition, ConditionOperator, RelationshipStep, ResolvedFilter } from '../filter.ts'
import { comparisonOf } from '../filter-sql.ts'
import { asRecord } from './range.ts'
import { selectivities, type PlanScope, type AccessPath } from './access-path.ts'

const isEqual = ({ op }: Condition): boolean => op === 'Is' || op === 'One of'

/** The path by a time of the record: the record table has indexes of its own for these. */
export const timePath = (
  { workspaceId, object }: PlanScope,
  column: Column,
  conditions: readonly Condition[],
): AccessPath => ({
  rows(sql) {
    const query = sql
      .knex('record as s')
      .select('s.id as record_id')
      .where({ 's.workspace_id': workspaceId, 's.object': object.key })
      .whereNull('s.deleted_at')
    const time = sql.knex.ref(`s.${column.kind === 'system' ? column.column : ''}`)
    for (const { op, values } of conditions) query.where(compare(sql, time, comparisonOf(op), defined(values[0])))
    return query
  },
  covers: conditions,
  selectivity: selectivities.some,
  label: `the index of ${column.name}`,
})

/** The path by id: the record table itself. */
export function idPath({ workspaceId, object }: PlanScope, condition: Condition): AccessPath | undefined {
  const { column, values } = condition
  if (column.kind !== 'system' || column.column !== 'id' || !isEqual(condition)) return undefined
  const ids = values.map(String).filter(isId)
  return {
    rows: ({ knex, dialect }) =>
      knex('record as s')
        .select('s.id as record_id')
        .where({ 's.workspace_id': workspaceId, 's.object': object.key })
        .whereNull('s.deleted_at')
        .where(dialect.oneOf('s.id', ids)),
    covers: [condition],
    selectivity: selectivities.one,
    label: 'the records themselves, by id',
  }
}

/** The path by a unique value, which one record holds. */
export function uniqueKeyPath({ workspaceId, object }: PlanScope, condition: Condition): AccessPath | undefined {
  const { column, values } = condition
  if (column.kind !== 'field' || !column.field.unique || !isEqual(condition)) return undefined
  const keys = values.map((value) => uniqueValue(String(value)))
  return {
    rows: ({ knex, dialect }) =>
      knex('unique_key as s')
        .distinct('s.record_id')
        .where({ 's.workspace_id': workspaceId, 's.field': uniqueName(object, column.field) })
        .where(dialect.oneOf('s.key_value', keys, 'text')),
    // Unique values are compared without regard to case, whatever the field type does elsewhere.
    covers: column.field.type.exact === true || column.guard !== undefined ? [] : [condition],
    selectivity: selectivities.one,
    label: `the unique values of ${column.name}`,
  }
}

/** The path by a reference: the links of the record that it refers to. */
export function linkPath({ workspaceId, object }: PlanScope, condition: Condition): AccessPath | undefined {
  const { column, values } = condition
  if (column.kind !== 'field' || column.field.relationship === undefined || !isEqual(condition)) return undefined
  const ids = values.map(String).filter(isId)
  return {
    rows: ({ knex, dialect }) =>
      knex('link as s')
        .select('s.from_id as record_id')
        .where({ 's.workspace_id': workspaceId, 's.relationship': linkOf(object, column.field).relationship })
        .where(dialect.oneOf('s.to_id', ids))
        .whereNull('s.hidden_by'),
    covers: column.guard === undefined ? [condition] : [],
    selectivity: selectivities.equal,
    label: `the links of ${column.name}`,
  }
}

const gramOperators: ReadonlySet<ConditionOperator> = new Set<ConditionOperator>(['Contains', 'Ends with', 'Like'])

/** Tells whether an operator looks for text anywhere in a value. */
export const usesTrigrams = (op: ConditionOperator): boolean => gramOperators.has(op)

/** The literal parts of a pattern, between its wildcards. */
const literals = new RegExp(`(?:${likeEscape}.|[^%_${likeEscape}])+`, 'gsu')

/** The literal parts that a text must contain to satisfy a condition. */
export function partsAsked({ op, values: [value] }: Pick<Condition, 'op' | 'values'>): string[] {
  const text = String(value)
  return op === 'Like'
    ? Array.from(text.matchAll(literals), ([part]) => part.replaceAll(new RegExp(`${likeEscape}(.)`, 'gsu'), '$1'))
    : [text]
}

/**
 * The path by trigrams: it finds the texts that contain all trigrams of the operand and rechecks each. Where the index
 * does not store the text, the record is checked.
 */
export function trigramPath({ workspaceId, object, usable }: PlanScope, condition: Condition): AccessPath | undefined {
  const { column, op, values } = condition
  if (!usesTrigrams(op) || !usable(object, column, 'grams')) return undefined
  // The index joins items by the separator, so the operand would also match across two items.
  if (isOfItems(column) && String(values[0]).includes(itemSeparator)) return undefined
  const field = placeOf(object, column)
  const scope = gramScope(workspaceId, field)
  const grams = [...new Set(partsAsked(condition).flatMap((part) => gramsOf(scope, part)))].slice(0, gramsAskedMax)
  if (grams.length === 0) return undefined
  const found = (sql: Sql): Knex.QueryBuilder => {
    const { knex, dialect } = sql
    const isKnown = (flag: number): Knex.Raw => compare(sql, knex.ref('s.is_known'), '=', flag)
    const holds = textHolds(sql, knex.ref('s.known_text'), op, String(values[0]))
    return dialect
      .withGrams({ workspaceId, field }, grams, unknownGram(scope))
      .where(
        anyOf(sql, [allOf(sql, [isKnown(1), holds]), allOf(sql, [isKnown(0), asRecord(sql, workspaceId, condition)])]),
      )
  }
  return {
    rows: (sql) => found(sql).select('s.record_id'),
    withCreation: (sql) => found(sql).select('s.record_id', 's.created_at'),
    covers: [condition],
    selectivity: selectivities.some,
    label: `the trigrams of ${column.name}`,
  }
}

function textHolds(sql: Sql, text: Knex.Raw, op: ConditionOperator, operand: string): Knex.Raw {
  if (op === 'Like') return like(sql, text, operand)
  return op === 'Contains' ? sql.dialect.contains(text, operand) : sql.dialect.endsWith(text, operand)
}

/** The path to the documents in which a search finds all its words. */
export const searchPath = (part: Extract<ResolvedFilter, { search: unknown }>): AccessPath => ({
  rows: (sql) => documentsFound(sql, part.search, ['s.record_id']),
  withCreation: (sql) => documentsFound(sql, part.search, ['s.record_id', 's.created_at']),
  covers: [part],
  selectivity: selectivities.some,
  label: 'the words that are searched for',
})

/** Most trigrams of an operand that are looked up: further ones exclude hardly any other record. */
const gramsAskedMax = 24

/**
 * The path along relationships, backwards: it finds the records at the end of a dotted path, then those that link to
 * them.
 */
export function relationshipPath(
  place: PlanScope,
  condition: Condition,
  sourceOf: (end: PlanScope, condition: Condition) => AccessPath | undefined,
): AccessPath[] {
  const { steps } = condition
  // Negations and tests for empty values also hold for records that refer to none.
  const end = sourceOf({ ...place, object: steps.at(-1)?.entity ?? place.object }, { ...condition, steps: [] })
  if (
    end === undefined ||
    condition.op.startsWith('Is not') ||
    condition.op === 'Is empty' ||
    condition.op === 'Is set'
  )
    return []
  return [
    {
      rows: (sql) =>
        steps.reduceRight<Knex.QueryBuilder>((to, step) => linkedTo(sql, place.workspaceId, step, to), end.rows(sql)),
      covers: [],
      selectivity: Math.min(end.selectivity + 1, selectivities.many),
      label: `${end.label}, and the links of ${steps.map(({ field }) => field.name).join('.')}`,
    },
  ]
}

/** The records that link to some others: each once, however many of its links match. */
function linkedTo(
  sql: Sql,
  workspaceId: string,
  { place, isToMany }: RelationshipStep,
  to: Knex.QueryBuilder,
): Knex.QueryBuilder {
  const links = sql.knex.from(linksOf(sql, to, { workspaceId, relationship: place.relationship, end: otherEnd(place) }))
  return isToMany ? links.distinct(`l.${place.end} as record_id`) : links.select(`l.${place.end} as record_id`)
}

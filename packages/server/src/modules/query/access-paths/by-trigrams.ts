import type { Knex } from 'knex'
import { allOf, anyOf, compare, like, likeEscape } from '../../../db/expressions.ts'
import type { Sql } from '../../../db/sql.ts'
import { gramScope, gramsOf, itemSeparator, indexedColumn, unknownGram } from '../../indexes/index.ts'
import { isCollection } from '../../objects/index.ts'
import type { Condition, ConditionOperator } from '../../filters/index.ts'
import { selectivities, type AccessPath, type PlanScope } from './access-path.ts'
import { asRecord } from './index-range.ts'

const gramOperators: ReadonlySet<ConditionOperator> = new Set<ConditionOperator>(['Contains', 'Ends with', 'Like'])

/** Tells whether an operator looks for text anywhere in a value. */
export const usesTrigrams = (op: ConditionOperator): boolean => gramOperators.has(op)

/** The literal parts of a pattern, between its wildcards. */
const literalPattern = new RegExp(`(?:${likeEscape}.|[^%_${likeEscape}])+`, 'gsu')

/** An escaped character. */
const escapedCharacter = new RegExp(`${likeEscape}(.)`, 'gsu')

/** The literal parts that a text must contain to satisfy a condition. */
export function literalParts({ op, values: [value] }: Pick<Condition, 'op' | 'values'>): string[] {
  const text = String(value)
  return op === 'Like'
    ? Array.from(text.matchAll(literalPattern), ([part]) => part.replaceAll(escapedCharacter, '$1'))
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
  if (isCollection(column) && String(values[0]).includes(itemSeparator)) return undefined
  const field = indexedColumn(object, column)
  const scope = gramScope(workspaceId, field)
  const grams = [...new Set(literalParts(condition).flatMap((part) => gramsOf(scope, part)))].slice(0, gramsMax)
  if (grams.length === 0) return undefined
  const matches = (sql: Sql): Knex.QueryBuilder => {
    const { knex, dialect } = sql
    const isStored = (flag: number): Knex.Raw => compare(sql, knex.ref('s.is_known'), '=', flag)
    const holds = textMatches(sql, knex.ref('s.known_text'), op, String(values[0]))
    return dialect
      .withGrams({ workspaceId, field }, grams, unknownGram(scope))
      .where(
        anyOf(sql, [
          allOf(sql, [isStored(1), holds]),
          allOf(sql, [isStored(0), asRecord(sql, workspaceId, condition)]),
        ]),
      )
  }
  return {
    rows: (sql) => matches(sql).select('s.record_id'),
    rowsWithCreation: (sql) => matches(sql).select('s.record_id', 's.created_at'),
    covers: [condition],
    selectivity: selectivities.some,
    label: `the trigrams of ${column.name}`,
  }
}

function textMatches(sql: Sql, text: Knex.Raw, op: ConditionOperator, operand: string): Knex.Raw {
  if (op === 'Like') return like(sql, text, operand)
  return op === 'Contains' ? sql.dialect.contains(text, operand) : sql.dialect.endsWith(text, operand)
}

/** Most trigrams of an operand that are looked up: further ones exclude hardly any other record. */
const gramsMax = 24

import { operators, suggestion, type Operator } from '@kontor/contract'
import type { Knex } from 'knex'
import { anyOf, compare, isNotTrue, startsWith } from '../../../db/expressions.ts'
import { fold } from '../../../db/fold.ts'
import type { Sql } from '../../../db/sql.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { isOneOf, isString } from '../../../lib/guards.ts'
import { fieldTypes } from '../../fields/index.ts'

/** A condition on the name of a workflow. */
export type NameCondition = { readonly op: Operator; readonly value: string }

/** The conditions of `filter[name]`, which has the operators of text fields; without one it is `Is`. */
export function nameConditions(
  ctx: WorkspaceReadContext<'unknown_operator'>,
  given: string | Readonly<Record<string, string>> | undefined,
): NameCondition[] {
  const allowed = fieldTypes.text.operators
  return Object.entries(isString(given) ? { '': given } : (given ?? {})).map(([name, value]) => {
    const asked = name === '' ? 'Is' : name
    const op = allowed.find((one) => one === asked) ?? allowed.find((one) => isOneOf<string>(operators[one], asked))
    if (op !== undefined) return { op, value: fold(value) }
    throw ctx.fail('unknown_operator', {
      detail: `"name" has no operator "${name.slice(0, 64)}".${suggestion(name, allowed)}`,
      source: { parameter: `filter[name][${name}]` },
      meta: { allowed: [...allowed] },
    })
  })
}

/** Narrows a query to the names that a condition asks for, regardless of case; every workflow has a name. */
export function whereName(sql: Sql, query: Knex.QueryBuilder, column: string, { op, value }: NameCondition): void {
  const name = sql.dialect.fold(sql.ref(column))
  if (op === 'Is empty') query.where(anyOf(sql, []))
  else if (op === 'Is') query.where(compare(sql, name, '=', value))
  else if (op === 'Is not') query.where(isNotTrue(sql, compare(sql, name, '=', value)))
  else if (op === 'Contains') query.where(sql.dialect.contains(name, value))
  else if (op === 'Does not contain') query.where(isNotTrue(sql, sql.dialect.contains(name, value)))
  else if (op === 'Starts with') query.where(startsWith(sql, name, value))
  else if (op === 'Ends with') query.where(sql.dialect.endsWith(name, value))
}

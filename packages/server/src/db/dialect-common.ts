import type { Knex } from 'knex'
import type { TableName } from './columns.ts'
import { likeEscape, type Dialect } from './dialect.ts'

const length = (part: string): number => [...part].length

const joined = (knex: Knex, conditions: readonly Knex.Raw[], word: 'and' | 'or', none: string): Knex.Raw =>
  conditions.length === 0
    ? knex.raw(none)
    : knex.raw(`(${conditions.map(() => '?').join(` ${word} `)})`, [...conditions])

/** A table by its name, or a query used as a table. */
export const tableOr = (knex: Knex, table: TableName | Knex.QueryBuilder): Knex.Raw =>
  typeof table === 'string' ? knex.ref(table) : knex.raw('?', [table as never])

const placeholders = (values: readonly unknown[]): string => values.map(() => '?').join(', ')

/** What both databases express in the same SQL. */
export const commonDialect = {
  tupleAfter: (knex, columns, values, direction) =>
    knex.raw(`(${columns.map(() => '??').join(', ')}) ${direction === 'after' ? '>' : '<'} (${placeholders(values)})`, [
      ...columns,
      ...values,
    ] as string[]),
  isOfSchema: (knex) => knex.raw("object = 'schema'"),
  prefix: (knex, text, size) => knex.raw('substr(?, 1, ?)', [text, size]),
  startsWith: (knex, text, part) => knex.raw('substr(?, 1, ?) = ?', [text, length(part), part]),
  like: (knex, text, pattern) => knex.raw('? like ? escape ?', [text, pattern, likeEscape]),
  isNull: (knex, value) => knex.raw('? is null', [value]),
  without: (knex, text, texts) => texts.reduce((value, one) => knex.raw('nullif(?, ?)', [value, one]), text),
  aliased: (knex, table, name) => knex.raw('? as ??', [table, name]),
  all: (knex, conditions) => joined(knex, conditions, 'and', '1 = 1'),
  any: (knex, conditions) => joined(knex, conditions, 'or', '1 = 0'),
  firstOf: (knex, conditions) =>
    knex.raw(`case ${conditions.map((_, index) => `when ? then ${index}`).join(' ')} else ${conditions.length} end`, [
      ...conditions,
    ]),
  notTrue: (knex, condition) => knex.raw('((?) is not true)', [condition]),
  compare: (knex, value, operator, operand) => knex.raw(`? ${operator} ?`, [value, operand]),
  among: (knex, value, operands) =>
    operands.length === 0 ? knex.raw('1 = 0') : knex.raw(`? in (${placeholders(operands)})`, [value, ...operands]),
  isThere: (knex, byKey) => knex.raw('? is not null', [byKey]),
  exists: (knex, query) => knex.raw('exists ?', [query]),
  plus: (knex, one, other) => knex.raw('? + ?', [one, other]),
  minus: (knex, from, less) => knex.raw('? - ?', [from, less]),
  countOver: (knex) => knex.raw('count(*) over ()'),
  asValue: (knex, query) => knex.raw('?', [query as never]),
  hasLength: (knex, text, size) => knex.raw('length(?) = ?', [text, size]),
  limited(knex, query, rows) {
    // Not as one parameter: Knex wraps those in parentheses, after which SQLite accepts no limit.
    const { sql, bindings } = query.toSQL()
    return knex.raw(`${sql} limit ?`, [...bindings, rows] as never[])
  },
} satisfies Partial<Dialect>

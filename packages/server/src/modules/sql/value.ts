import type { Knex } from 'knex'
import { DateTime } from 'luxon'
import type { Sql } from '../../db/sql.ts'
import { dateText, instantText } from '../../lib/period.ts'
import { refused, type Budget, type Node } from '../sql-grammar/index.ts'

/**
 * The kinds of values. Texts compare regardless of case; `exact` ones, which are options and ids, do not. A `time` is
 * milliseconds since 1970, a `stamp` is a text in ISO 8601, and a `date` is `YYYY-MM-DD`.
 */
export type SqlKind = 'text' | 'exact' | 'number' | 'flag' | 'date' | 'time' | 'stamp'

/** A value of the database. */
export type SqlValue = {
  readonly kind: SqlKind
  readonly value: Knex.Raw
  readonly options?: ReadonlySet<string> | undefined
}

/** A constant of the text, whose kind is that of the value beside it. */
export type SqlConstant = { readonly constant: string | number | boolean | null | DateTime }

export type SqlOperand = SqlValue | SqlConstant

/** The scope in which expressions are compiled. */
export type SqlScope = {
  readonly sql: Sql
  readonly timeZone: string
  readonly now: number
  readonly budget: Budget
  /** A part that is known as a whole: what the rows are grouped by. */
  readonly known: (part: unknown) => SqlValue | undefined
  readonly columnAt: (part: unknown) => SqlValue
  readonly aggregateOf: (call: Node, part: unknown) => SqlValue
}

export const isConstant = (operand: SqlOperand): operand is SqlConstant => 'constant' in operand

/** Kinds by what they are called in errors and in the columns of an answer. */
export const kindNames: Readonly<Record<SqlKind, 'text' | 'number' | 'boolean' | 'date' | 'timestamp'>> = {
  text: 'text',
  exact: 'text',
  number: 'number',
  flag: 'boolean',
  date: 'date',
  time: 'timestamp',
  stamp: 'timestamp',
}

/** The kind that a constant has by itself. */
function ownKind({ constant }: SqlConstant): SqlKind {
  if (typeof constant === 'number') return 'number'
  if (typeof constant === 'boolean') return 'flag'
  return constant instanceof DateTime ? 'time' : 'text'
}

/** Makes a value of an operand; a constant becomes one of the given kind, or of its own. */
export function valueOf(operand: SqlOperand, { sql, timeZone }: SqlScope, part: unknown, like?: SqlValue): SqlValue {
  if (!isConstant(operand)) return operand
  const kind = like?.kind ?? ownKind(operand)
  const { constant } = operand
  if (constant === null) return { kind, value: nullOf(sql, kind) }
  const fitting = fit(constant, kind, timeZone)
  if (fitting === undefined) throw refused(`A ${kindNames[kind]} is expected here`, part)
  if (like?.options !== undefined && !like.options.has(String(fitting)))
    throw refused(`There is no option "${String(fitting).slice(0, 64)}"`, part, undefined, [...like.options])
  if (typeof fitting === 'boolean') return { kind, value: fitting ? sql`(1 = 1)` : sql`(1 = 0)` }
  return {
    kind,
    value: typeof fitting === 'number' ? sql`cast(${fitting} as float8)` : sql`cast(${fitting} as text)`,
  }
}

const nullOf = (sql: Sql, kind: SqlKind): Knex.Raw =>
  kind === 'flag'
    ? sql`(null = 1)`
    : kind === 'number' || kind === 'time'
      ? sql`cast(null as float8)`
      : sql`cast(null as text)`

type Fitting = string | number | boolean | undefined

function fit(constant: NonNullable<SqlConstant['constant']>, kind: SqlKind, timeZone: string): Fitting {
  if (kind === 'number') return typeof constant === 'number' && Number.isFinite(constant) ? constant : undefined
  if (kind === 'flag') return typeof constant === 'boolean' ? constant : undefined
  if (kind === 'text' || kind === 'exact') return typeof constant === 'string' ? constant : undefined
  const at =
    constant instanceof DateTime
      ? constant
      : typeof constant === 'string' && startsAsDate.test(constant)
        ? DateTime.fromISO(constant.replace(' ', 'T'), { zone: timeZone })
        : undefined
  if (at?.isValid !== true) return undefined
  return kind === 'date' ? dateText(at.setZone(timeZone)) : kind === 'time' ? at.toMillis() : instantText(at)
}

const startsAsDate = /^\d{4}-\d{2}-\d{2}/

/** A value as it is compared: a text without regard of case. */
export const compared = ({ sql }: SqlScope, { kind, value }: SqlValue): Knex.Raw =>
  kind === 'text' ? sql.dialect.fold(value) : value

/** Brings two operands to one kind. */
export function alike(
  one: SqlOperand,
  other: SqlOperand,
  scope: SqlScope,
  part: unknown,
): readonly [SqlValue, SqlValue] {
  const first = isConstant(one) ? undefined : one
  const second = isConstant(other) ? undefined : other
  const pair = [valueOf(one, scope, part, second), valueOf(other, scope, part, first)] as const
  const kinds = pair.map(({ kind }) => (kind === 'exact' ? 'text' : kind))
  if (kinds[0] !== kinds[1])
    throw refused(`A ${kindNames[pair[0].kind]} cannot be compared with a ${kindNames[pair[1].kind]}`, part)
  // An option is compared exactly with an option alone.
  return pair[0].kind === pair[1].kind
    ? pair
    : [
        { ...pair[0], kind: 'text' },
        { ...pair[1], kind: 'text' },
      ]
}

/** The day of a date or time, in the time zone of the workspace. */
export function dayOf({ kind, value }: SqlValue, { sql, timeZone }: SqlScope, part: unknown): SqlValue {
  if (kind === 'date') return { kind, value }
  if (kind !== 'time' && kind !== 'stamp') throw refused('A date or a time is expected here', part)
  return { kind: 'date', value: sql.dialect.dayIn(value, kind === 'time' ? 'ms' : 'text', timeZone) }
}

import { isRecord } from '../../../lib/guards.ts'
import { fold } from '../../../db/fold.ts'
import { parseOperand } from '../../filters/index.ts'
import type { Column } from '../../objects/index.ts'
import { kindOf, refused } from '../../sql-grammar/index.ts'
import type { Located } from './columns.ts'

/** A constant in the SQL text. */
export type Literal = string | number | boolean

const isConstant = (part: unknown): boolean => kindOf(part)[0] === 'A_Const'

/** The value of a constant; the parser leaves out zero, false and empty values. */
export function literalAt(part: unknown): Literal {
  const [, held] = kindOf(part)
  if (!isConstant(part)) throw refused('A column can only be compared with a constant', part)
  if (held['isnull'] === true) throw refused('A comparison with NULL is never true: write IS NULL', part)
  const [kind, value] = Object.entries(held).find(([name]) => name !== 'location') ?? []
  const inner = isRecord(value) ? value : undefined
  if (kind === 'ival') return Number(inner?.['ival'] ?? 0)
  if (kind === 'fval') return Number(inner?.['fval'] ?? 0)
  if (kind === 'boolval') return inner?.['boolval'] === true
  const text = inner?.['sval'] ?? ''
  if (kind === 'sval' && typeof text === 'string') return text
  throw refused('A column can only be compared with a text, a number, TRUE or FALSE', part)
}

/**
 * The reading of constants. Without `strict`, as for a stored list, a constant may be a removed option, which then
 * equals nothing. A bare date against a time is that day in the time zone, a time without a zone is one of it.
 */
export type Reading = { readonly strict: boolean; readonly timeZone: string }

/** The operand for a comparison with a column; undefined for a removed option. */
export function operandAt(part: unknown, column: Column, { strict, timeZone }: Reading): string | number | undefined {
  const literal = literalAt(part)
  const operand = fits(literal, column) ? parseOperand(column, literal, timeZone) : undefined
  if (operand !== undefined) return operand
  const options = optionsOf(column)
  if (options !== undefined && !strict && typeof literal === 'string') return undefined
  throw refused(`"${column.name}" cannot be compared with this`, part, undefined, options && [...options])
}

/**
 * The operands within UPPER or LOWER, where an option or id matches in either case: the stored values that are meant,
 * usually one.
 */
export function operandsAt(
  part: unknown,
  { column, anyCase }: Pick<Located, 'column' | 'anyCase'>,
  reading: Reading,
): (string | number)[] {
  const literal = literalAt(part)
  if (anyCase === true && typeof literal === 'string') {
    const alike = [...(optionsOf(column) ?? [])].filter((option) => fold(option) === fold(literal))
    if (alike.length > 0) return alike
    if (isOfIds(column)) return [literal.toLowerCase()]
  }
  const operand = operandAt(part, column, reading)
  return operand === undefined ? [] : [operand]
}

const optionsOf = (column: Column): ReadonlySet<string> | undefined =>
  column.kind === 'field' ? column.field.options : undefined

const isOfIds = (column: Column): boolean =>
  column.kind === 'system' || column.field.type.name === 'reference' || column.field.type.name === 'user_reference'

/**
 * Tells whether a literal fits a column. A text that would be read as a number or a flag is judged by what Postgres
 * would do with it.
 */
function fits(literal: Literal, column: Column): boolean {
  if (column.kind === 'system') return typeof literal === 'string'
  const { comparedAs } = column.field.type
  if (comparedAs === 'flag') return typeof literal === 'boolean'
  if (comparedAs === 'number') return typeof literal !== 'boolean'
  return typeof literal === 'string'
}

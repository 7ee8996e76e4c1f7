import { meantOperator, operators, valueless, type FilterValue, type Operator } from '@kontor/contract'
import { isList, isNameIn, isOneOf, keysOf } from '../../lib/guards.ts'
import type { FillBudget } from './template.ts'
import {
  beginsWith,
  endsIn,
  hasPart,
  hasPhone,
  isSame,
  isWithin,
  orderOf,
  partsOf,
  spellingsIn,
  type Operand,
  type When,
} from './values.ts'

/** A condition on a value that is at hand; the same operators as on records, whose conditions the database decides. */
type Comparison = {
  readonly operator: Operator
  readonly value: FilterValue | readonly FilterValue[]
  readonly when: When
}

/** The operator of a name or an alias; undefined for one that there is not. */
export function operatorOf(name: string): Operator | undefined {
  return isNameIn(operators, name) ? name : keysOf(operators).find((one) => isOneOf<string>(operators[one], name))
}

/** Operators that deny another; they hold for empty values too (docs/decisions/0034). */
const negations: Partial<Record<Operator, Operator>> = {
  'Is not': 'Is',
  'Does not contain': 'Contains',
  'Not one of': 'One of',
  'Is not empty': 'Is empty',
  'Is set': 'Is empty',
}

type Test = (part: unknown, operand: Operand, when: When) => boolean

/** The tests of one part of a value. */
const tests: Partial<Record<Operator, Test>> = {
  Is: isSame,
  'One of': isSame,
  Contains: hasPart,
  'Starts with': beginsWith,
  'Ends with': endsIn,
  'Greater than': (part, operand, when) => orderOf(part, operand, when) > 0,
  'Greater than or equal': (part, operand, when) => orderOf(part, operand, when) >= 0,
  'Less than': (part, operand, when) => orderOf(part, operand, when) < 0,
  'Less than or equal': (part, operand, when) => orderOf(part, operand, when) <= 0,
  'Is after': (part, operand, when) => orderOf(part, operand, when) > 0,
  'Is on or after': (part, operand, when) => orderOf(part, operand, when) >= 0,
  'Is before': (part, operand, when) => orderOf(part, operand, when) < 0,
  'Is on or before': (part, operand, when) => orderOf(part, operand, when) <= 0,
  Within: isWithin,
}

/** Tells whether a value satisfies a condition: any part of it, for any of several values. */
export function compares(actual: unknown, { operator: given, value, when }: Comparison): boolean {
  const operator = meantOperator(given, value) ?? given
  const denied = negations[operator]
  if (denied !== undefined)
    return !compares(actual, { operator: denied, value: valueless.has(denied) ? null : value, when })
  const parts = partsOf(actual)
  const test = tests[operator]
  // Only the operators for empty values remain.
  if (test === undefined) return parts.length === 0
  return operandsOf(value).some((operand) =>
    operand === null
      ? test === isSame && parts.length === 0
      : spellingsIn(actual, operand).some((spelling) => parts.some((part) => test(part, spelling, when))) ||
        (test === isSame && hasPhone(actual, operand, 'whole')) ||
        (test === hasPart && hasPhone(actual, operand, 'part')),
  )
}

/**
 * The most that the conditions of a node may fill in and compare, which takes some 60 ms: characters of each side, as
 * often as the other side has parts.
 */
const charactersMax = 5_000_000

/** Returns the budget of the conditions of one node. */
export const conditionBudget = (): FillBudget => ({ left: charactersMax })

const sizeOf = (value: unknown): number => (JSON.stringify(value) ?? '').length

/** Returns whether a comparison of two values that messages may have brought costs more than a budget has left. */
export function isTooMuch(actual: unknown, value: Comparison['value'], budget: FillBudget): boolean {
  const [parts, operands] = [partsOf(actual).length, operandsOf(value).length]
  if (budget.left >= 0 && parts > 0) budget.left -= sizeOf(actual) * operands + sizeOf(value) * parts
  return budget.left < 0
}

/** The values that are asked for: a text is one, whatever commas are in it, and only a list is many. */
const operandsOf = (value: Comparison['value']): readonly FilterValue[] => (isList(value) ? value : [value])

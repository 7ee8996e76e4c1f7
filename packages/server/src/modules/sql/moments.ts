import { DateTime, type DurationLikeObject } from 'luxon'
import { isNameIn, isString, memberOf } from '../../lib/guards.ts'
import { kindOf, namesIn, refused, type Node } from '../sql-grammar/index.ts'
import type { SqlScope } from './value.ts'

/** Reads a moment: now, today, and what is some time before or after. Undefined for anything else. */
export function momentOf(part: unknown, scope: Pick<SqlScope, 'now' | 'timeZone'>): DateTime | undefined {
  const [kind, node] = kindOf(part)
  const now = DateTime.fromMillis(scope.now, { zone: scope.timeZone })
  if (kind === 'SQLValueFunction') {
    if (node['op'] === 'SVFOP_CURRENT_DATE') return now.startOf('day')
    return node['op'] === 'SVFOP_CURRENT_TIMESTAMP' ? now : undefined
  }
  if (kind === 'FuncCall' && namesIn(node['funcname'])?.join('.') === 'now' && node['args'] === undefined) return now
  return kind === 'A_Expr' && node['kind'] === 'AEXPR_OP' ? shifted(node, scope) : undefined
}

function shifted(node: Node, scope: Pick<SqlScope, 'now' | 'timeZone'>): DateTime | undefined {
  const operator = namesIn(node['name'])?.join('.')
  const length = operator === '+' || operator === '-' ? intervalOf(node['rexpr']) : undefined
  if (length === undefined) return undefined
  const from = momentOf(node['lexpr'], scope)
  if (from === undefined)
    throw refused('An interval can only be added to or subtracted from now() or CURRENT_DATE', node['rexpr'])
  return operator === '+' ? from.plus(length) : from.minus(length)
}

const units = {
  minute: 'minutes',
  hour: 'hours',
  day: 'days',
  week: 'weeks',
  month: 'months',
  quarter: 'quarters',
  year: 'years',
} as const

/** Longest number of units: five digits, more than any date has years. */
const intervalShape = /^\s*(\d{1,5})\s+([a-z]+?)s?\s*$/i

function intervalOf(part: unknown): DurationLikeObject | undefined {
  const [kind, node] = kindOf(part)
  if (kind !== 'TypeCast') return undefined
  const names = namesIn(kindOf({ TypeName: node['typeName'] })[1]['names'])
  if (names?.at(-1) !== 'interval') return undefined
  const text = memberOf(kindOf(node['arg'])[1]['sval'], 'sval')
  const [, count, unit = ''] = intervalShape.exec(isString(text) ? text : '') ?? []
  const name = unit.toLowerCase()
  if (count === undefined || !isNameIn(units, name))
    throw refused("An interval must be a number and a unit, such as '30 days'", part, undefined, Object.keys(units))
  return { [units[name]]: Number(count) }
}

import { DateTime } from 'luxon'
import { isList, isRecord, isString, keysOf } from '../../lib/guards.ts'
import { suggestion } from '@kontor/contract'
import { readTime } from './times.ts'
import { partsOf } from './values.ts'

/** A filter of a variable, `| date:"d MMMM yyyy"`; its argument is JSON without members. */
export type VariableFilter = { readonly name: string; readonly argument: unknown }

/** A variable whose value its filter, or the place where it stands, cannot take. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault'
}

/** The value of a variable; `isMissing` if there is no such member and no default. */
export type VariableReading = { readonly value: unknown; readonly isMissing: boolean }

type Kind = {
  /** The argument behind its colon. */
  readonly takes: 'a value' | 'a pattern' | undefined
  /** The JSON types of what it leaves; undefined where that is what it was given, or its argument. */
  readonly type: string | undefined
  readonly apply: (reading: VariableReading, argument: unknown, zone: string) => VariableReading
}

const isBlank = (value: unknown): boolean => value === null || value === ''

/** Longest pattern of a date. */
const patternMax = 100

const kinds = {
  default: {
    takes: 'a value',
    type: undefined,
    apply: (reading, argument) =>
      partsOf(reading.value).length === 0 ? { value: argument, isMissing: false } : reading,
  },
  number: {
    takes: undefined,
    type: 'number',
    apply({ value, isMissing }) {
      if (isBlank(value)) return { value: null, isMissing }
      const number = numeralOf(value)
      if (number === undefined) throw new TemplateFault(`${shown(value)} is not a number that can be stored exactly`)
      return { value: number, isMissing }
    },
  },
  list: {
    takes: undefined,
    type: 'array',
    apply: ({ value, isMissing }) => ({ value: partsOf(value), isMissing }),
  },
  date: {
    takes: 'a pattern',
    type: 'string',
    apply({ value, isMissing }, argument, zone) {
      if (isBlank(value)) return { value: '', isMissing }
      const time = isString(value) ? readTime(value, zone) : undefined
      if (time === undefined) throw new TemplateFault(`${shown(value)} is not a date or a time`)
      const local = 'at' in time ? time.at.setZone(zone) : DateTime.fromISO(time.date, { zone })
      return { value: local.setLocale('en').toFormat(String(argument)), isMissing }
    },
  },
} as const satisfies Readonly<Record<string, Kind>>

const kindOf = (name: string): Kind | undefined =>
  Object.hasOwn(kinds, name) ? kinds[name as keyof typeof kinds] : undefined

/** Applies the filters of a variable to what it stands for, one after the other. */
export const filtered = (reading: VariableReading, filters: readonly VariableFilter[], zone: string): VariableReading =>
  filters.reduce((read, { name, argument }) => kindOf(name)?.apply(read, argument, zone) ?? read, reading)

/** Returns the fault of a filter, as the end of a sentence about its variable. */
export function filterFault({ name, argument }: VariableFilter): string | undefined {
  const kind = kindOf(name)
  if (kind === undefined) {
    const known = keysOf(kinds)
    return `has an unknown filter "${name}"; use ${known.join(', ')}.${suggestion(name, known)}`.replace(/\.$/, '')
  }
  if (kind.takes === undefined && argument !== undefined) return `gives "${name}" an argument, which it does not accept`
  if (kind.takes === 'a value' && argument === undefined) return `needs a value for "${name}", as in | ${name}:"text"`
  if (kind.takes !== 'a pattern') return undefined
  if (!(isString(argument) && argument !== '' && argument.length <= patternMax))
    return `needs a pattern of at most ${patternMax} characters for "${name}", as in | date:"d MMMM yyyy, HH:mm"`
  return patternFault(argument)
}

/** Parts of a date, as Luxon writes them. Its whole formats, such as DD for a complete date, would surprise. */
const dateParts: ReadonlySet<string> = new Set(
  'y yy yyyy q M MM MMM MMMM L LL LLL LLLL W WW d dd ooo E EEE EEEE a H HH h hh m mm s ss SSS Z ZZ z'.split(' '),
)

/** The fault of a pattern with letters that are no part of a date, such as YYYY: they would be written as they are. */
function patternFault(pattern: string): string | undefined {
  const runs = pattern.replaceAll(/'[^']*(?:'|$)/g, ' ').match(/([a-z])\1*/gi) ?? []
  const odd = runs.find((run) => !dateParts.has(run))
  if (odd === undefined) return undefined
  const other = [odd.toLowerCase(), odd.toUpperCase()].find((run) => dateParts.has(run))
  const advice = other === undefined ? "put words in single quotes: d 'of' MMMM" : `write ${other}`
  return `has "${odd}" in its pattern, which is no part of a date; ${advice}`
}

/** The JSON types of a variable behind its filters, given those of what it stands for; undefined for any. */
export const typesBehind = (
  types: ReadonlySet<string> | undefined,
  filters: readonly VariableFilter[],
): ReadonlySet<string> | undefined =>
  filters.reduce((known, { name, argument }) => {
    const type = kindOf(name)?.type
    if (type !== undefined) return new Set([type])
    return known && new Set([...known, typeOf(argument)])
  }, types)

const typeOf = (value: unknown): string => (isList(value) ? 'array' : isRecord(value) ? 'object' : typeof value)

/** Returns whether a variable is written by the clocks of a place. */
export const isLocal = (filters: readonly VariableFilter[]): boolean => filters.some(({ name }) => name === 'date')

const numeral = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i

/** The number that a value is or spells exactly; undefined for any other. */
export function numeralOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  const text = isString(value) ? value.trim() : ''
  if (text.length > numeralMax || !numeral.test(text)) return undefined
  const number = Number(text)
  return Number.isFinite(number) && digitsOf(String(number)) === digitsOf(text) ? number : undefined
}

/** Longest numeral that may be exact. */
const numeralMax = 400

/** The digits that count of a numeral, without the place of its point: the same for the same exact number. */
function digitsOf(text: string): string {
  const [mantissa = ''] = text.toLowerCase().split('e')
  return mantissa
    .replaceAll(/[+\-.]/g, '')
    .replace(/^0+/, '')
    .replace(/0+$/, '')
}

/** Characters of a value that a fault repeats. */
const shownMax = 60

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? ''
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text
}

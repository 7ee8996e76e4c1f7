import { phoneDigits, phoneForm, phonePart, phoneWhole, fold } from '../../db/fold.ts'
import { isList, isRecord, isString, itemsOf, memberOf } from '../../lib/guards.ts'
import { normaliseDomain, normaliseEmail, normalisePhone, partOfEmail } from '../fields/index.ts'
import { dateText, dayOf, parsePeriod } from '../../lib/period.ts'
import { readTime } from './times.ts'

// Values whose types are not known, compared as filters of records compare theirs.

/** An operand of a comparison with a part of a value. */
export type Operand = string | number | boolean

/**
 * When it is compared: the instant that periods are counted from, the zone in which a date is a day, and with which
 * month after January a year begins.
 */
export type When = { readonly now: number; readonly zone: string; readonly fiscalOffset?: number }

/** The values that a condition asks for: the items of a collection, each for itself; none of an empty value. */
export function partsOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined || value === '') return []
  if (isList(value)) return value
  return isList(memberOf(value, 'items')) ? itemsOf(value) : [value]
}

/** The longest item of a collection, with room for another spelling. */
const itemMax = 1000

/**
 * Returns the spellings of an operand among the items of a collection: fields of addresses, domains and phone numbers
 * keep theirs in one form.
 */
export function spellingsIn(value: unknown, operand: Operand): readonly Operand[] {
  if (!isString(operand) || operand.length > itemMax || !isList(memberOf(value, 'items'))) return [operand]
  const trimmed = operand.trim()
  const normal = [normaliseEmail(trimmed), normaliseDomain(trimmed), normalisePhone(trimmed), partOfEmail(operand)]
  return [...new Set([operand, trimmed, ...normal.filter((one) => one !== undefined)])]
}

const phoneShape = /^\+\d{4,15}(;ext=\d+)?$/

/** Tells whether an item of a collection is the phone number that an operand spells, or has it as a part. */
export function hasPhone(value: unknown, operand: Operand, how: 'whole' | 'part'): boolean {
  if (!isString(operand) || operand.length > itemMax || !isList(memberOf(value, 'items'))) return false
  const number = normalisePhone(operand.trim())
  if (phoneDigits(number) === undefined) return false
  const sought = how === 'whole' ? phoneWhole(number) : phonePart(number)
  return itemsOf(value).some((item) => isString(item) && phoneShape.test(item) && phoneForm(item).includes(sought))
}

/**
 * Returns the text that people read of a value: the full name, the address of a participant, texts of other objects;
 * undefined where there is nothing to read.
 */
export function readable(part: unknown): string | undefined {
  if (isString(part)) return part
  const named = memberOf(part, 'full_name') ?? memberOf(part, 'email')
  if (isString(named)) return named
  if (!isRecord(part) && !isList(part)) return String(part)
  const texts = textsIn(part)
  return texts.length === 0 ? undefined : texts.toSorted().join(', ')
}

function textsIn(value: unknown): readonly string[] {
  if (isString(value)) return [value]
  if (isList(value)) return value.flatMap(textsIn)
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : []
}

/** The texts in which a part is looked for: of a participant its name too. */
function searchedTexts(part: unknown): readonly string[] {
  const name = memberOf(part, 'name')
  const isNamed = isString(memberOf(part, 'email')) && isString(name)
  return [readable(part), isNamed ? name : undefined].filter((text) => text !== undefined)
}

/** Tests the text of a part against an operand, both folded. */
const folded =
  (test: (text: string, operand: string) => boolean) =>
  (part: unknown, operand: Operand): boolean => {
    const text = readable(part)
    return text !== undefined && test(fold(text), fold(String(operand)))
  }

export const hasPart = (part: unknown, operand: Operand): boolean =>
  searchedTexts(part).some((text) => fold(text).includes(fold(String(operand))))

export const beginsWith = folded((text, operand) => text.startsWith(operand))
export const endsIn = folded((text, operand) => text.endsWith(operand))
const readsSame = folded((text, operand) => text === operand)

/** Texts are the same where they fold to the same, or tell the same time: 7 is "7", but "007" is not. */
export function isSame(part: unknown, operand: Operand, when: When): boolean {
  if (typeof part === 'number' || typeof operand === 'number') {
    const number = numberOf(part)
    return number !== undefined && number === numberOf(operand)
  }
  return readsSame(part, operand) || orderOfTimes(part, operand, when) === 0
}

/** Compares as numbers where both are, as times where both are, and as texts otherwise; NaN where neither fits. */
export function orderOf(part: unknown, operand: Operand, when: When): number {
  const numbers = [numberOf(part), numberOf(operand)] as const
  if (numbers[0] !== undefined && numbers[1] !== undefined) return numbers[0] - numbers[1]
  const times = orderOfTimes(part, operand, when)
  if (times !== undefined) return times
  if (!isString(part) || !isString(operand)) return NaN
  const [left, right] = [fold(part), fold(operand)]
  return left === right ? 0 : left < right ? -1 : 1
}

function numberOf(value: unknown): number | undefined {
  const number = isString(value) && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** A time that a text tells: a day, or an instant. */
type Time = { readonly date: string } | { readonly at: number }

function timeOf(value: unknown, zone: string): Time | undefined {
  const time = isString(value) ? readTime(value, zone) : undefined
  return time !== undefined && 'at' in time ? { at: time.at.toMillis() } : time
}

/** Compares two times: an instant is within a day, before it or after it. Undefined where one of them is no time. */
function orderOfTimes(one: unknown, other: unknown, { zone }: When): number | undefined {
  const [left, right] = [timeOf(one, zone), timeOf(other, zone)]
  if (left === undefined || right === undefined) return undefined
  if ('at' in left) return 'at' in right ? left.at - right.at : placeIn(right.date, left.at, zone)
  if ('at' in right) return 0 - placeIn(left.date, right.at, zone)
  return left.date === right.date ? 0 : left.date < right.date ? -1 : 1
}

/** Where an instant is beside the day of a date in a zone: before it, in it or after it. */
function placeIn(date: string, at: number, zone: string): number {
  const { from, until } = dayOf(date, zone)
  if (at < from.toMillis()) return -1
  return at < until.toMillis() ? 0 : 1
}

/** A date is within a period if it is one of the days that the period touches, as in filters of records. */
export function isWithin(part: unknown, operand: Operand, { now, zone, fiscalOffset }: When): boolean {
  const time = timeOf(part, zone)
  const period = isString(operand) ? parsePeriod(operand, now, zone, fiscalOffset) : undefined
  if (time === undefined || period === undefined) return false
  const { from, until, isSpan } = period
  if ('at' in time)
    return time.at >= from.toMillis() && (isSpan ? time.at <= until.toMillis() : time.at < until.toMillis())
  const last = dateText(until)
  return time.date >= dateText(from) && (isSpan ? time.date <= last : time.date < last)
}

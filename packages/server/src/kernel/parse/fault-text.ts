import type { z } from 'zod'
import { suggestion } from '@kontor/contract'
import { defined, isRecord, memberOf } from '../../lib/guards.ts'

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'an array',
  object: 'an object',
  record: 'an object',
}

/** Joins several kinds into one phrase, each named once. */
export function anyOf(names: readonly string[]): string {
  const phrases = [...new Set(names.map((name) => kinds[name] ?? name))]
  return phrases.length < 2 ? phrases.join('') : `${phrases.slice(0, -1).join(', ')} or ${defined(phrases.at(-1))}`
}

type Raw = z.core.$ZodRawIssue

/**
 * Describes for the caller what is wrong with a value and what is allowed; Zod's own texts address the author of the
 * schema. Undefined keeps Zod's text.
 */
export function faultText(issue: Raw): string | undefined {
  if (issue.code === 'invalid_type') return typeText(issue)
  if (issue.code === 'invalid_value') return valueText(issue.values, issue.input)
  if (issue.code === 'too_small' && issue.inclusive === false) return `Must be greater than ${issue.minimum}.`
  if (issue.code === 'too_small') return boundText(issue.origin, 'least', issue.minimum)
  if (issue.code === 'too_big') return boundText(issue.origin, 'most', issue.maximum)
  if (issue.code === 'invalid_union' && issue.errors.length === 0) return unionText(issue)
  if (issue.code === 'unrecognized_keys') return nearText(issue)
  if (issue.code === 'not_multiple_of') return `Must be a multiple of ${issue.divisor}.`
  if (issue.code === 'invalid_key') return `As a name: ${issue.issues[0]?.message ?? 'not allowed.'}`
  return issue.code === 'invalid_format' ? formatText(issue) : undefined
}

/** Descriptions of formats; without an entry, the pattern describes it. */
const formats: Readonly<Partial<Record<string, string>>> = {
  datetime: 'an ISO 8601 timestamp in UTC, for example 2026-01-31T09:30:00.000Z',
  date: 'a date, for example 2026-01-31',
  time: 'a time, for example 09:30',
  email: 'an e-mail address, for example ada@example.com',
  url: 'a URL, for example https://example.com/',
  uuid: 'a UUID, for example 019b2f6e-7a00-7000-8000-000000000000',
}

function formatText({ format, pattern, prefix, suffix, includes }: FormatIssue): string {
  if (prefix !== undefined) return `Must begin with "${prefix}".`
  if (suffix !== undefined) return `Must end with "${suffix}".`
  if (includes !== undefined) return `Must contain "${includes}".`
  return `Must be ${formats[format] ?? (pattern === undefined ? `in the format ${format}` : `a text like ${pattern}`)}.`
}

type FormatIssue = { readonly format: string } & Readonly<
  Partial<Record<'pattern' | 'prefix' | 'suffix' | 'includes', string | undefined>>
>

function typeText({ expected, input, inst }: Extract<Raw, { readonly code: 'invalid_type' }>): string {
  const isWhole = expected === 'number' && ['_zod', 'def', 'format'].reduce<unknown>(memberOf, inst) === 'safeint'
  const kind = anyOf([isWhole ? 'int' : expected])
  return input === undefined ? `Is missing; must be ${kind}.` : `Must be ${kind}.`
}

/** Of a union that goes by one member, such as `type`: no branch has its value. */
function unionText({ input, discriminator, options }: UnionIssue): string {
  if (discriminator === undefined || options === undefined) return 'Has the wrong form; see the documentation.'
  return valueText(options, memberOf(input, discriminator))
}

type UnionIssue = {
  readonly input?: unknown
  readonly discriminator?: string | undefined
  readonly options?: readonly unknown[] | undefined
}

/** The member that an unknown one most likely means, the place where it belongs, or else those that are allowed. */
function nearText({ keys, inst }: Extract<Raw, { readonly code: 'unrecognized_keys' }>): string {
  const members = shapeOf(inst)
  if (members === undefined) return ''
  const allowed = Object.keys(members)
  const near = keys.length === 1 ? suggestion(defined(keys[0]), allowed).trim() : ''
  if (near !== '') return near
  if (keys.every((key) => belongsIn(members['attributes'], key))) return 'Send it in `attributes`.'
  if (allowed.length === 0) return 'No members are allowed.'
  return allowed.length > allowedMax ? '' : `Allowed: ${allowed.join(', ')}.`
}

/** Members that a text lists: more are read in the reference. */
const allowedMax = 30

const shapeOf = (schema: unknown): Readonly<Record<string, unknown>> | undefined => {
  const shape = ['_zod', 'def', 'shape'].reduce<unknown>(memberOf, schema)
  return isRecord(shape) ? shape : undefined
}

/** Returns whether a schema is that of attributes which accept a member: named ones, or those of any record. */
function belongsIn(attributes: unknown, key: string): boolean {
  const shape = shapeOf(attributes)
  if (shape !== undefined) return Object.hasOwn(shape, key)
  return ['_zod', 'def', 'type'].reduce<unknown>(memberOf, attributes) === 'record'
}

function valueText(values: readonly unknown[], input: unknown): string {
  const allowed = values.map((value) => JSON.stringify(value))
  const near =
    typeof input === 'string' && values.length > 1
      ? suggestion(
          input,
          values.filter((value) => typeof value === 'string'),
        )
      : ''
  return (
    `${input === undefined ? 'Is missing; must' : 'Must'} be ` +
    `${allowed.length > 1 ? 'one of ' : ''}${allowed.join(', ')}.${near}`
  )
}

function boundText(origin: string, end: 'least' | 'most', bound: number | bigint): string {
  if (origin === 'string') return bound === 1 ? 'Must not be empty.' : `Must have at ${end} ${bound} characters.`
  if (origin === 'array') return `Must have at ${end} ${bound === 1 ? 'one item' : `${bound} items`}.`
  return `Must be at ${end} ${bound}.`
}

import type { z } from 'zod'
import { suggestion } from '@kontor/contract'
import { defined, memberOf } from '../../lib/guards.ts'

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
  if (issue.code === 'too_small' && issue.inclusive === false) return `Must be more than ${issue.minimum}.`
  if (issue.code === 'too_small') return boundText(issue.origin, 'least', issue.minimum)
  if (issue.code === 'too_big') return boundText(issue.origin, 'most', issue.maximum)
  if (issue.code === 'invalid_key') return `As a name: ${issue.issues[0]?.message ?? 'not allowed.'}`
  return issue.code === 'invalid_format' && issue.format === 'datetime'
    ? 'Must be an ISO 8601 timestamp in UTC, for example 2026-01-31T09:30:00.000Z.'
    : undefined
}

function typeText({ expected, input, inst }: Extract<Raw, { readonly code: 'invalid_type' }>): string {
  const isWhole = expected === 'number' && ['_zod', 'def', 'format'].reduce<unknown>(memberOf, inst) === 'safeint'
  const kind = anyOf([isWhole ? 'int' : expected])
  return input === undefined ? `Is missing; must be ${kind}.` : `Must be ${kind}.`
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

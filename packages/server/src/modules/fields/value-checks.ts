import { isDeepStrictEqual } from 'node:util'
import type { FieldSchema, Format, JsonType } from '@kontor/contract'
import { hasInvisible } from '@kontor/contract/values'
import type { Check } from './field-type.ts'
import { compilePattern } from './pattern.ts'
import { isIPv4, isIPv6 } from 'node:net'
import { normaliseDomain, normaliseEmail } from './contact-points.ts'
import { parseDate, parseTimestamp } from './dates.ts'

type Rule = { readonly holds: (text: string) => boolean; readonly what: string }

/** RFC 3339: hours to seconds, with a zone. */
const timeShape = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/
const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The rules of JSON Schema 2020-12 (validation, §7.3): the check of each `format`, and its error text. */
const formatRules: Readonly<Record<Format, Rule>> = {
  date: { holds: (text) => parseDate(text) !== undefined, what: 'a date as YYYY-MM-DD' },
  'date-time': { holds: (text) => parseTimestamp(text) !== undefined, what: 'an ISO 8601 timestamp with a zone' },
  time: { holds: (text) => timeShape.test(text), what: 'a time with a zone, for example 09:30:00Z' },
  email: { holds: (text) => !hasInvisible(text) && normaliseEmail(text) !== undefined, what: 'an e-mail address' },
  hostname: {
    holds: (text) => !hasInvisible(text) && normaliseDomain(text) !== undefined,
    what: 'a host name such as example.com',
  },
  ipv4: { holds: isIPv4, what: 'an IPv4 address' },
  ipv6: { holds: isIPv6, what: 'an IPv6 address' },
  uri: {
    holds: (text) => /^[a-z][a-z0-9+.-]*:\S/i.test(text) && URL.canParse(text),
    what: 'a URI such as https://example.com',
  },
  uuid: { holds: (text) => uuidShape.test(text), what: 'a UUID' },
}

export type ValueKeywords = Pick<
  FieldSchema,
  'type' | 'const' | 'enum' | 'minLength' | 'maxLength' | 'pattern' | 'format' | 'minimum' | 'maximum' | 'multipleOf'
>

/** A check that reports `detail` if a value does not satisfy it. */
export const rule =
  <T>(holds: (value: T) => boolean, detail: string): Check =>
  (value, report) => {
    if (!holds(value as T)) report(detail)
  }

/** A check if the keyword is given, otherwise none. */
export const given = <T>(keyword: T | undefined, make: (value: T) => Check): Check[] =>
  keyword === undefined ? [] : [make(keyword)]

/** The checks of a text, number or flag of up to `lengthMax` characters. */
export const valueChecks = (schema: ValueKeywords, lengthMax: number): Check[] => [
  ...(namesOnly(schema.type, 'integer') ? [rule<number>(Number.isInteger, 'Must be a whole number.')] : []),
  ...given(schema.const, (only) => rule((value) => isDeepStrictEqual(value, only), `Must be ${JSON.stringify(only)}.`)),
  ...given(schema.enum, (options) =>
    rule(
      (value) => options.some((option) => isDeepStrictEqual(value, option)),
      `Must be one of: ${options.map(shown).join(', ')}.`,
    ),
  ),
  ...textChecks(schema, lengthMax),
  ...given(schema.minimum, (least) => rule<number>((value) => value >= least, `Must be at least ${least}.`)),
  ...given(schema.maximum, (most) => rule<number>((value) => value <= most, `Must be at most ${most}.`)),
  ...given(schema.multipleOf, (step) =>
    rule<number>((value) => isMultiple(value, step), `Must be a multiple of ${step}.`),
  ),
]

/** Characters are code points, as both databases and JSON Schema count them. */
const textChecks = ({ minLength, maxLength, pattern, format }: ValueKeywords, lengthMax: number): Check[] => [
  ...given(minLength, (least) =>
    rule<string>(
      (value) => value.length >= least && [...value].length >= least,
      `Must be at least ${least} characters.`,
    ),
  ),
  ...given(maxLength, (most) =>
    rule<string>((value) => value.length <= most || [...value].length <= most, `Must be at most ${most} characters.`),
  ),
  ...given(pattern, (source) => matches(source, Math.min(maxLength ?? lengthMax, lengthMax))),
  ...given(format, (name) => rule<string>(formatRules[name].holds, `Must be ${formatRules[name].what}.`)),
]

function matches(source: string, lengthMax: number): Check {
  const pattern = compilePattern(source, lengthMax)
  // A schema with an invalid pattern was refused; characters beyond the 16 bits of a unit count for two.
  return rule<string>(
    (value) => 'test' in pattern && value.length <= 2 * lengthMax && pattern.test(value),
    `Must match the pattern ${source}`,
  )
}

const shown = (option: unknown): string => (typeof option === 'string' ? option : JSON.stringify(option))

/** Tells whether the only JSON type of a schema is this one, with at most `null` besides it. */
function namesOnly(type: FieldSchema['type'], name: JsonType): boolean {
  const named = [type ?? []].flat().filter((one) => one !== 'null')
  return named.length === 1 && named[0] === name
}

type Decimal = { readonly digits: bigint; readonly scale: number }

/** The decimal of a number as written; the remainder of two doubles would be that of their errors. */
function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), scale: fraction.length - Number(exponent) }
}

function isMultiple(value: number, step: number): boolean {
  const [a, b] = [decimalOf(value), decimalOf(step)]
  const scale = Math.max(a.scale, b.scale)
  const scaled = (decimal: Decimal) => decimal.digits * 10n ** BigInt(scale - decimal.scale)
  return scaled(a) % scaled(b) === 0n
}

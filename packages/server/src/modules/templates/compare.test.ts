import fc from 'fast-check'
import { DateTime } from 'luxon'
import { describe, expect, test } from 'vitest'
import { operators, type FilterValue, type Operator } from '@kontor/contract'
import { keysOf } from '../../lib/guards.ts'
import { compares, operatorOf } from './compare.ts'

/** The end of a leap day: periods begin and end around it. */
const now = Date.parse('2028-02-29T23:59:59.999Z')
const say = (
  actual: unknown,
  operator: Operator,
  value: FilterValue | readonly FilterValue[] = null,
  zone = 'utc',
): boolean => compares(actual, { operator, value, when: { now, zone } })

/** Folding as docs/decisions say it: normal form, lower case, one sigma. */
const folded = (text: string) => text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC')

const words = fc.constantFrom(
  'Won',
  'won',
  'WON',
  'Straße',
  'STRASSE',
  'ﬁne',
  'fine',
  'ΟΔΟΣ',
  'οδος',
  'Å',
  'Å',
  '007',
  '7',
  '2026-01-01',
  ' ',
)
const texts = fc.oneof(words, fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' }))

/** The rules of filters for a kind of field, written again and plainly. */
type Kind<Value> = {
  readonly values: fc.Arbitrary<Value>
  readonly operands: fc.Arbitrary<string | number | boolean>
  readonly says: Partial<Record<Operator, (value: Value, operand: never) => boolean>>
}

const kindOf = <Value>(kind: Kind<Value>) => kind

const textKind = kindOf<string>({
  values: texts.filter((text) => !isTime(text)),
  operands: texts.filter((text) => !isTime(text)),
  says: {
    Is: (value, operand: string) => folded(value) === folded(operand),
    Contains: (value, operand: string) => folded(value).includes(folded(operand)),
    'Starts with': (value, operand: string) => folded(value).startsWith(folded(operand)),
    'Ends with': (value, operand: string) => folded(value).endsWith(folded(operand)),
    'One of': (value, operand: string) => folded(value) === folded(operand),
  },
})

const isTime = (text: string): boolean => /^\d{4}-\d{2}-\d{2}(T|$)/.test(text)

const numbers = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -99_999, max: 99_999 }).map((n) => n / 10_000),
)
const numberKind = kindOf<number>({
  values: numbers,
  operands: fc.oneof(numbers, numbers.map(String)),
  says: {
    Is: (value, operand: string | number) => value === Number(operand),
    'Greater than': (value, operand: string | number) => value > Number(operand),
    'Greater than or equal': (value, operand: string | number) => value >= Number(operand),
    'Less than': (value, operand: string | number) => value < Number(operand),
    'Less than or equal': (value, operand: string | number) => value <= Number(operand),
    'One of': (value, operand: string | number) => value === Number(operand),
  },
})

const days = fc
  .integer({ min: -800, max: 800 })
  .map((n) => DateTime.fromISO('2028-02-29', { zone: 'utc' }).plus({ days: n }).toFormat('yyyy-MM-dd'))
const dateOperators = {
  Is: (value: string, operand: never) => Date.parse(value) === Date.parse(operand),
  'Is before': (value: string, operand: never) => Date.parse(value) < Date.parse(operand),
  'Is on or before': (value: string, operand: never) => Date.parse(value) <= Date.parse(operand),
  'Is after': (value: string, operand: never) => Date.parse(value) > Date.parse(operand),
  'Is on or after': (value: string, operand: never) => Date.parse(value) >= Date.parse(operand),
}
const dateKind = kindOf<string>({ values: days, operands: days, says: dateOperators })

const instants = fc
  .record({
    day: days,
    ms: fc.constantFrom(0, 1, 43_200_000, 86_399_999),
    zone: fc.constantFrom('utc', 'UTC+2', 'UTC-9:30'),
  })
  .map(({ day, ms, zone }) => DateTime.fromMillis(Date.parse(day) + ms, { zone }).toISO() ?? '')
/** A day is as long as it lasts. */
const lastOf = (operand: string) => Date.parse(operand) + (operand.includes('T') ? 0 : 86_399_999)
const timestampKind = kindOf<string>({
  values: instants,
  operands: fc.oneof(instants, days),
  says: {
    Is: (value, operand: string) => Date.parse(value) >= Date.parse(operand) && Date.parse(value) <= lastOf(operand),
    'Is before': (value, operand: string) => Date.parse(value) < Date.parse(operand),
    'Is on or before': (value, operand: string) => Date.parse(value) <= lastOf(operand),
    'Is after': (value, operand: string) => Date.parse(value) > lastOf(operand),
    'Is on or after': (value, operand: string) => Date.parse(value) >= Date.parse(operand),
  },
})

const flagKind = kindOf<boolean>({
  values: fc.boolean(),
  operands: fc.oneof(fc.boolean(), fc.constantFrom('true', 'false')),
  says: { Is: (value, operand: unknown) => String(value) === String(operand) },
})

/** Items are stored without spaces around them, and what is asked for is taken so too. */
const trimmed = textKind.values.map((text) => text.trim()).filter((text) => text !== '')

const collectionKind = kindOf<{ items: string[] }>({
  values: fc.record({ items: fc.array(trimmed, { minLength: 1, maxLength: 3 }) }),
  operands: textKind.operands,
  says: {
    Is: ({ items }, operand: string) => items.some((item) => folded(item) === folded(operand.trim())),
    Contains: ({ items }, operand: string) => items.some((item) => folded(item).includes(folded(operand.trim()))),
  },
})

const participantKind = kindOf<{ items: { email: string; name?: string | undefined; status: string }[] }>({
  values: fc.record({
    items: fc.array(
      fc.record({
        email: fc.emailAddress(),
        name: fc.option(trimmed, { nil: undefined }),
        status: fc.constant('accepted'),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  operands: fc.oneof(fc.emailAddress(), trimmed, fc.constantFrom('accepted', 'email', '@')),
  says: {
    Is: ({ items }, operand: string) => items.some(({ email }) => folded(email) === folded(operand)),
    Contains: ({ items }, operand: string) =>
      items.some(({ email, name = '' }) =>
        [email, name].some((one) => one !== '' && folded(one).includes(folded(operand))),
      ),
  },
})

const nameKind = kindOf<{ first_name: string; last_name: null; full_name: string }>({
  values: textKind.values.map((text) => ({ first_name: 'x', last_name: null, full_name: text })),
  operands: textKind.operands,
  says: {
    Is: ({ full_name }, operand: string) => folded(full_name) === folded(operand),
    Contains: ({ full_name }, operand: string) => folded(full_name).includes(folded(operand)),
    'Starts with': ({ full_name }, operand: string) => folded(full_name).startsWith(folded(operand)),
    'Ends with': ({ full_name }, operand: string) => folded(full_name).endsWith(folded(operand)),
  },
})

const placeKind = kindOf<object>({
  values: fc.record({ city: texts, country: fc.record({ code: texts }), lat: fc.double() }),
  operands: texts,
  says: {
    Contains: (value, operand: string) => {
      const { city, country } = value as { city: string; country: { code: string } }
      return folded([city, country.code].toSorted().join(', ')).includes(folded(operand))
    },
  },
})

const kinds = {
  text: textKind,
  number: numberKind,
  date: dateKind,
  timestamp: timestampKind,
  flag: flagKind,
  collection: collectionKind,
  participants: participantKind,
  name: nameKind,
  place: placeKind,
} as Record<string, Kind<unknown>>

const negations: Partial<Record<Operator, Operator>> = {
  Is: 'Is not',
  Contains: 'Does not contain',
  'One of': 'Not one of',
}

describe.each(Object.keys(kinds))('a %s', (name) => {
  const { values, operands, says } = kinds[name]!
  test.each(Object.keys(says) as Operator[])('compares by "%s" as filters of records do', (operator) => {
    const expected = says[operator]!
    fc.assert(
      fc.property(values, operands, (value, operand) => {
        const holds = expected(value, operand as never)
        expect(say(value, operator, operand)).toBe(holds)
        const negation = negations[operator]
        if (negation !== undefined) expect(say(value, negation, operand)).toBe(!holds)
      }),
    )
  })

  test('takes several values: any of them may match, and a negation denies them all', () => {
    const operator = Object.keys(says)[0] as Operator
    const several = fc.array(operands, { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(values, several, (value, list) => {
        const holds = list.some((operand) => says[operator]!(value, operand as never))
        expect(say(value, operator, list)).toBe(holds)
        const negation = negations[operator]
        if (negation !== undefined) expect(say(value, negation, list)).toBe(!holds)
      }),
    )
  })

  test('is not empty', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect([say(value, 'Is empty'), say(value, 'Is not set')]).toEqual([false, false])
        expect([say(value, 'Is not empty'), say(value, 'Is set')]).toEqual([true, true])
        expect([say(value, 'Is', null), say(value, 'Is not', null)]).toEqual([false, true])
      }),
    )
  })
})

test.each([
  ['max@bücher.example', 'Is', true],
  ['MAX@Bücher.example', 'Contains', true],
  ['@bücher.example', 'Contains', true],
  ['bücher.example', 'Is', false],
] as const)('finds an address by %j, as it is written: %s', (operand, operator, holds) => {
  expect(say({ items: ['max@xn--bcher-kva.example'] }, operator, operand)).toBe(holds)
})

test('finds a number and a domain as they are written', () => {
  expect(say({ items: ['+12025550143'] }, 'Is', '+1 (202) 555-0143')).toBe(true)
  expect(say({ items: ['xn--bcher-kva.example'] }, 'Is', 'Bücher.example')).toBe(true)
})

test('an object without texts has none to look into', () => {
  for (const operator of ['Contains', 'Starts with', 'Ends with', 'Is'] as const)
    expect([say({}, operator, ''), say({ lat: 1 }, operator, '1')]).toEqual([false, false])
})

const empties = [null, undefined, '', [], { items: [] }]

test.each(empties)('%j is empty: it satisfies negations and the tests for it, and nothing else', (empty) => {
  const holding = keysOf(operators).filter((operator) => say(empty, operator, 'x'))
  expect(holding).toEqual(['Is not', 'Does not contain', 'Not one of', 'Is empty', 'Is not set'])
})

test.each([false, 'false'])('an operator without a value means its opposite with %j', (value) => {
  expect(keysOf(operators).filter((operator) => say('', operator, value))).toEqual([
    'Is not',
    'Does not contain',
    'Not one of',
    'Is not empty',
    'Is set',
  ])
})

test('a value that nothing was given for matches nothing', () => {
  fc.assert(
    fc.property(
      fc.jsonValue().filter((value) => !empties.some((empty) => JSON.stringify(empty) === JSON.stringify(value))),
      (value) => {
        for (const operator of ['Contains', 'Starts with', 'Ends with', 'Greater than', 'Is before', 'Within'] as const)
          expect(say(value, operator, null)).toBe(false)
      },
    ),
  )
})

test.each([
  // The days that a span touches, its first and its last included.
  ['2028-02-29', '-1d', true],
  ['2028-02-28', '-1d', true],
  ['2028-02-27', '-1d', false],
  ['2028-03-01', '+1d', true],
  ['2028-03-02', '+1d', false],
  ['2028-02-29', 'today', true],
  ['2028-03-01', 'today', false],
  ['2028-02-01', 'this_month', true],
  ['2028-03-01', 'this_month', false],
  // To the millisecond.
  ['2028-02-28T23:59:59.999Z', '-1d', true],
  ['2028-02-28T23:59:59.998Z', '-1d', false],
  ['2028-02-29T23:59:59.999Z', '-1d', true],
  ['2028-03-01T00:00:00.000Z', 'today', false],
  ['2028-02-29T00:00:00.000Z', 'today', true],
  ['2028-02-29T23:30:00-02:00', 'today', false],
  ['no date', 'today', false],
  ['2028-02-29', 'no period', false],
  [1, 'today', false],
])('%j is within %j: %j', (value, period, holds) => {
  expect(say(value, 'Within', period)).toBe(holds)
})

test.each([
  // In Kathmandu it is 05:45 later.
  ['2028-02-29T18:14:59.999Z', 'Is', '2028-02-29', true],
  ['2028-02-29T18:15:00.000Z', 'Is', '2028-02-29', false],
  ['2028-02-28T18:15:00.000Z', 'Is', '2028-02-29', true],
  ['2028-02-28T18:14:59.999Z', 'Is before', '2028-02-29', true],
  ['2028-02-28T18:15:00.000Z', 'Is before', '2028-02-29', false],
  ['2028-02-29T18:14:59.999Z', 'Is after', '2028-02-29', false],
  // A time without a zone is one of the workspace.
  ['2028-02-28T18:15:00.000Z', 'Is', '2028-02-29T00:00', true],
  ['2028-02-29T00:00:00', 'Is', '2028-02-29T00:00+0545', true],
  ['2028-02-28T18:14:59.999Z', 'Is before', '2028-02-29T00:00:00', true],
  ['2028-02-29T18:15:00.000Z', 'Is after', '2028-02-29', true],
  ['2028-02-29', 'Is', '2028-02-29T18:14:59.999Z', true],
  ['2028-02-29', 'Is before', '2028-02-29T18:15:00.000Z', true],
  ['2028-02-29', 'Is', '2028-02-29', true],
  // There it is the first of March already.
  ['2028-03-01', 'Within', 'today', true],
  ['2028-02-29', 'Within', 'today', false],
  ['2028-02-29T18:15:00.000Z', 'Within', 'today', true],
  ['2028-02-29T18:14:59.999Z', 'Within', 'today', false],
] as const)('a date is a day of the workspace: %j %s %j: %j', (value, operator, operand, holds) => {
  expect(say(value, operator, operand, 'Asia/Kathmandu')).toBe(holds)
})

test.each([
  ['007', 'Is', '7', false],
  ['007', 'Is', 7, true],
  [7, 'Is', '7.0', true],
  [7, 'Is', ' 7 ', true],
  [7, 'Is', '', false],
  [7, 'Contains', 7, true],
  [true, 'Is', 1, false],
  ['10', 'Greater than', '9', true],
  ['10', 'Greater than', 9, true],
  ['b', 'Greater than', 'A', true],
  ['b', 'Greater than', 1, false],
  ['b', 'Less than or equal', 1, false],
  [{ a: 1 }, 'Is', '[object Object]', false],
  ['Won, lost', 'One of', 'won, lost', true],
  ['Won', 'One of', 'Lost,won', false],
  ['Won', 'One of', ['Lost', 'won'], true],
  ['Won, lost', 'One of', ['Won, lost'], true],
] as const)('%j %s %j: %j', (value, operator, operand, holds) => {
  expect(say(value, operator, operand)).toBe(holds)
})

test('compares anything with anything without a failure', () => {
  const values = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null))
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.constantFrom(...keysOf(operators)),
      fc.oneof(values, fc.array(values)),
      (actual, operator, value) => {
        expect(typeof say(actual, operator, value)).toBe('boolean')
      },
    ),
  )
})

test('knows operators by their names and aliases', () => {
  for (const [name, aliases] of Object.entries(operators)) {
    expect(operatorOf(name)).toBe(name)
    for (const alias of aliases) expect(operatorOf(alias)).toBeDefined()
  }
  for (const name of ['is', 'constructor', 'toString', '__proto__', '']) expect(operatorOf(name)).toBeUndefined()
})

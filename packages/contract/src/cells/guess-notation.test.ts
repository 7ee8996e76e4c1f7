import { expect, test } from 'vitest'
import { guessNotation } from './guess-notation.ts'

const dates = (...texts: string[]) => guessNotation([{ name: 'Since', type: 'date', texts }])
const numbers = (...texts: string[]) => guessNotation([{ name: 'Amount', type: 'currency', texts }])

test.each([
  [['2026-01-31', ''], 'ymd', []],
  [['31/1/2026', '1/2/2026'], 'dmy', []],
  [['1/31/2026', '1/2/2026 9:05'], 'mdy', []],
  [['1.2.2026'], 'dmy', []],
  [['1/2/2026', '3/4/2026'], 'ymd', ['Since']],
  [['31/1/2026', '1/31/2026'], 'dmy', ['Since']],
] as const)('finds the order of dates: %j', (texts, order, columns) => {
  const guess = dates(...texts)
  expect([guess.dates, guess.unclear.flatMap((one) => one.columns)]).toEqual([order, columns])
})

test.each([
  [['12', '-3'], '.', []],
  [['1.5', '1,234.50'], '.', []],
  [['1,5', '1.234,50', '1.234'], ',', []],
  [['1.234.567'], ',', []],
  [['1,234,567'], '.', []],
  [['1.234'], '.', ['Amount']],
  [['1.5', '1,5'], '.', ['Amount']],
] as const)('finds the character before decimals: %j', (texts, mark, columns) => {
  const guess = numbers(...texts)
  expect([guess.decimal, guess.unclear.flatMap((one) => one.columns)]).toEqual([mark, columns])
})

test('texts of other types decide nothing', () => {
  expect(guessNotation([{ name: 'Note', type: 'text', texts: ['1/2/2026', '1,5'] }])).toEqual({
    dates: 'ymd',
    decimal: '.',
    unclear: [],
  })
})

import { expect, test } from 'vitest'
import { Reasons } from './reasons.ts'

const rejected = (line: number, reason: string) => ({ line, reason })

test('shows the first rejected rows, and counts the others by what was wrong', () => {
  const reasons = new Reasons()
  for (let row = 0; row < 30; row++) reasons.add(rejected(row + 2, `amount: "${row}x" is not a number.`))
  reasons.add(rejected(40, 'stage: Must be one of: Lead, Won.'))
  expect(reasons.counts()).toEqual([
    { reason: 'amount: "…" is not a number.', rows: 30 },
    { reason: 'stage: Must be one of: Lead, Won.', rows: 1 },
  ])
  const words = reasons.inWords()
  expect(words.slice(0, 2)).toEqual([
    '  line 2: amount: "0x" is not a number.',
    '  line 3: amount: "1x" is not a number.',
  ])
  expect(words.slice(10)).toEqual([
    'By reason:',
    '  30 rows: amount: "…" is not a number.',
    '  1 row: stage: Must be one of: Lead, Won.',
  ])
})

const held = (digit: number) =>
  `name: Another deal has this name already. Its id: 019b2f6e-7a00-7000-8000-00000000000${digit}.`

test('counts rows whose reasons differ by an id as one', () => {
  const reasons = new Reasons()
  reasons.add(rejected(2, held(1)))
  reasons.add(rejected(3, held(2)))
  expect(reasons.counts()).toEqual([{ reason: 'name: Another deal has this name already. Its id: ….', rows: 2 }])
})

test('counts nothing where the rows themselves say it all', () => {
  const reasons = new Reasons()
  expect(reasons.inWords()).toEqual([])
  reasons.add(rejected(2, 'name: Is missing.'))
  expect(reasons.inWords()).toEqual(['  line 2: name: Is missing.'])
})

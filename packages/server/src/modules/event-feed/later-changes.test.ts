import type { Change } from '@kontor/contract'
import { expect, test } from 'vitest'
import { LaterChanges } from './later-changes.ts'

const change = (field: string, oldVal: unknown): Change => ({ op: 'update', path: [field], oldVal, val: 'later' })

test('finds the first change of each field after each moment, among any number of them', () => {
  const later = new LaterChanges([30, 10])
  later.note(5, [change('stage', 'too early')])
  for (let sequence = 10; sequence <= 1000; sequence++) later.note(sequence, [change('stage', sequence)])
  later.note(1001, [change('amount', 'first')])
  later.note(Infinity, [change('amount', 'second'), change('name', 'without a number')])
  const firsts = (moment: number) => later.firstAfter(moment).map(({ path, oldVal }) => [path[0], oldVal])
  const others = [
    ['amount', 'first'],
    ['name', 'without a number'],
  ]
  expect(firsts(10)).toEqual([['stage', 11], ...others])
  expect(firsts(30)).toEqual([['stage', 31], ...others])
})

import { expect, test } from 'vitest'
import type { ResolvedFilter } from '../filters/index.ts'
import { isSmallScan } from './small-scan.ts'

const on = (type: object): ResolvedFilter =>
  ({
    column: { kind: 'field', field: { type } },
    steps: [],
    op: 'Contains',
    values: ['a'],
  }) as unknown as ResolvedFilter
const [text, long, items] = [
  on({ lengthMax: 10_000, comparedAs: 'text' }),
  on({ lengthMax: 100_000, comparedAs: 'text' }),
  on({ comparedAs: 'items' }),
]

test.each([
  [500, undefined, true],
  [501, undefined, false],
  [500, text, true],
  [500, { and: [text, text, text] }, false],
  [100, { or: [text, { not: text }, text] }, true],
  [500, long, false],
  [100, long, true],
  [12, items, true],
  [21, items, false],
  [2, { exists: [], where: undefined }, false],
] as const)('%i records with the filter %j: %s', (records, filter, isSmall) => {
  expect(isSmallScan(records, filter)).toBe(isSmall)
})

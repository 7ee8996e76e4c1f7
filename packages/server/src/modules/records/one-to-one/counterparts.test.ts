import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assign, type Draft, type PairKeys } from './counterparts.ts'

const there: PairKeys = { key: 'next', back: 'previous' }
const back: PairKeys = { key: 'previous', back: 'next' }
const names = ['a', 'b', 'c', 'd'] as const

test('both ends say the same, and one that is taken has left whom it was with', () => {
  const drafts = new Map<string, Draft>(names.map((name) => [name, {}]))
  assign(drafts, there, 'a', 'b')
  assign(drafts, there, 'c', 'd')
  assign(drafts, there, 'a', 'd')
  expect(Object.fromEntries(drafts)).toEqual({ a: { next: 'd' }, b: {}, c: {}, d: { previous: 'a' } })
})

test(
  'whatever is assigned from whichever end: no record is alone in a pair, the last pair holds, and nothing ' +
    'else is touched',
  () => {
    const step = fc.record({
      from: fc.constantFrom(...names),
      to: fc.option(fc.constantFrom(...names), { nil: undefined }),
      way: fc.constantFrom(there, back),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const drafts = new Map<string, Draft>(names.map((name) => [name, { name }]))
        for (const { from, to, way } of steps) {
          assign(drafts, way, from, to)
          expect(drafts.get(from)?.[way.key]).toBe(to)
        }
        for (const [name, draft] of drafts) {
          if (draft['next'] !== undefined) expect(drafts.get(draft['next'] as string)?.['previous']).toBe(name)
          if (draft['previous'] !== undefined) expect(drafts.get(draft['previous'] as string)?.['next']).toBe(name)
          expect(draft['name']).toBe(name)
        }
      }),
    )
  },
)

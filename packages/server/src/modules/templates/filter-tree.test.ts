import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Filter } from '@kontor/contract'
import { conditionBudget } from './compare.ts'
import { holdsTree, leavesIn, resolveTree, treeExcess } from './filter-tree.ts'

const when = { now: Date.UTC(2026, 5, 15), zone: 'utc' }
const scope = { trigger: { state: { event: { data: { one: 1, two: 2, none: null } } } } }
const seen = { scope, diff: [], when }

const leaf = fc.record({
  field: fc.constantFrom('one', 'two', 'none').map((name) => `state.event.data.${name}`),
  op: fc.constantFrom('Is', 'Is not', 'Greater than'),
  value: fc.constantFrom(1, 2, null, '{{trigger.state.event.data.one}}', '{{trigger.state.event.data.none}}'),
})
const { tree } = fc.letrec<{ tree: Filter }>((tie) => {
  const parts = fc.array(tie('tree'), { minLength: 1, maxLength: 3 })
  return {
    tree: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      parts.map((and) => ({ and })),
      parts.map((or) => ({ or })),
      tie('tree').map((not) => ({ not })),
    ),
  }
})

/** Returns whether a tree holds, fails to hold, or cannot be told, by the logic of three values. */
function told(part: Filter): boolean | undefined {
  if ('and' in part) return allOf(part.and.map(told))
  if ('or' in part) return denied(allOf(part.or.map((one) => denied(told(one)))))
  if ('not' in part) return denied(told(part.not))
  if (part.value === '{{trigger.state.event.data.none}}') return undefined
  const value = part.value === '{{trigger.state.event.data.one}}' ? 1 : part.value
  return holdsTree({ ...part, value }, seen, conditionBudget())
}
const denied = (one: boolean | undefined): boolean | undefined => (one === undefined ? undefined : !one)
const allOf = (parts: readonly (boolean | undefined)[]): boolean | undefined =>
  parts.includes(false) ? false : parts.includes(undefined) ? undefined : true

test('a condition without a value holds for nothing, and neither does its opposite', () => {
  fc.assert(
    fc.property(tree, (given) => {
      const { tree: resolved, unresolved } = resolveTree(given, scope, 'utc', conditionBudget())
      expect(resolved !== null && holdsTree(resolved, seen, conditionBudget())).toBe(told(given) === true)
      expect(unresolved.length > 0).toBe(JSON.stringify(given).includes('data.none}}'))
    }),
    { numRuns: 2000 },
  )
})

const isNull = (value: string | boolean): Filter => ({ field: 'name', op: 'is_null', value })

test('a value that says nothing about an operator that needs none is left out; true and false stay', () => {
  const given: Filter = { and: [isNull('Ada'), isNull(false), isNull('true')] }
  const { tree: filled } = resolveTree(given, scope, 'utc', conditionBudget())
  expect(filled).toEqual({ and: [{ field: 'name', op: 'is_null' }, isNull(false), isNull('true')] })
})

test('conditions are told with where they stand', () => {
  const one = { field: 'state.event.type', op: 'Is', value: 'a' }
  const nested: Filter = { and: [one, { not: { or: [one] } }] }
  expect(leavesIn(nested, ['filter']).map(({ at }) => at.join('/'))).toEqual(['filter/and/0', 'filter/and/1/not/or/0'])
})

test('a tree may be as deep, and have as many conditions, as any filter', () => {
  const one = { field: 'state.event.type', op: 'Is', value: 'a' }
  const deep = (levels: number): Filter => (levels === 0 ? one : { not: deep(levels - 1) })
  const wide = (count: number): Filter => ({ or: Array.from({ length: count }, () => one) })
  expect([treeExcess(deep(5)), treeExcess(wide(50))]).toEqual([undefined, undefined])
  expect([treeExcess(deep(6)), treeExcess(wide(51))]).toEqual([
    'can be nested at most 5 deep',
    'can have at most 50 conditions',
  ])
})

const seeingText = (length: number) => ({
  scope: { trigger: { state: { event: { data: { long: 'x'.repeat(length) } } } } },
  diff: [],
  when,
})
const containing = (value: string): Filter => ({ field: 'state.event.data.long', op: 'Contains', value })

const opposite = (times: number): Filter => ({ not: { or: Array.from({ length: times }, () => containing('y')) } })

test('a tree that compares too much does not hold, nor does its opposite', () => {
  expect(holdsTree(opposite(3), seeingText(900_000), conditionBudget())).toBe(true)
  expect(holdsTree(opposite(6), seeingText(900_000), conditionBudget())).toBe(false)
})

test('a budget that is used up to the last character is enough for nothing more', () => {
  const budget = { left: 100 }
  const holds = () => holdsTree(containing('x'), seeingText(95), budget)
  expect([holds(), budget.left, holds()]).toEqual([true, 0, false])
})

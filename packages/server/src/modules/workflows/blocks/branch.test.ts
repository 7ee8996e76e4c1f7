import { expect, test } from 'vitest'
import { blockChecks } from '../testing/block-checks.ts'
import { contextOf, StandIn } from '../testing/stand-in.ts'
import { branch } from './branch.ts'

const amount = (operator: string, value: number) => ({
  field: 'state.event.object.data.amount',
  condition: { operator, value },
})
const input = {
  branches: [
    { label: 'Large', filters: [amount('Greater than', 1000)], next: 'call' },
    { filters: [amount('Greater than', 100)], next: null },
  ],
}
const scopeOf = (value: unknown, diff: unknown = []) => ({
  trigger: { state: { event: { object: { data: { amount: value }, diff } } } },
})

test.each(
  blockChecks(branch, {
    input,
    scope: scopeOf(5000),
    output: { branch: 'Large' },
    rehearsal: { branch: 'Large' },
  }),
)('%s', (_title, check) => check())

const taken = (scope: object, given: unknown = input) =>
  branch.run(contextOf(new StandIn({}).call, { scope: { ...scope } }), given)

test('takes the first branch whose filters hold', async () => {
  expect(await taken(scopeOf(5000))).toEqual({ state: 'done', output: { branch: 'Large' }, next: 'call' })
})

test('names a branch without a label by its position, and may end the run', async () => {
  expect(await taken(scopeOf(500))).toEqual({ state: 'done', output: { branch: 1 }, next: null })
})

test('goes on with the node that follows where no branch fits', async () => {
  expect(await taken(scopeOf(5))).toEqual({ state: 'done', output: { branch: null } })
  expect(await taken({})).toEqual({ state: 'done', output: { branch: null } })
})

test('looks at what the event changed', async () => {
  const changed = { branches: [{ filters: [{ ...amount('Changed from', 5) }], next: 'call' }] }
  const diff = [{ op: 'update', path: ['amount'], val: 7, oldVal: 5 }]
  expect(await taken(scopeOf(7, diff), changed)).toMatchObject({ output: { branch: 0 } })
  expect(await taken(scopeOf(7), changed)).toMatchObject({ output: { branch: null } })
})

test('names the blocks that it may lead to, whatever it is given', () => {
  expect(branch.branches?.(input)).toEqual(['call'])
  expect(branch.branches?.({ branches: [null, 5, { next: 'a' }] })).toEqual(['a'])
  expect(branch.branches?.({})).toEqual([])
})

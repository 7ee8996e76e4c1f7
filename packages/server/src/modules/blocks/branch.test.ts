import { expect, test } from 'vitest'
import { blockChecks } from './testing/block-checks.ts'
import { contextOf, StandIn } from './testing/stand-in.ts'
import { branch } from './branch.ts'

const amount = (op: string, value: number | string) => ({ field: 'state.event.object.data.amount', op, value })
const input = {
  branches: [
    { key: 'large', filter: amount('Greater than', 1000), next: 'call' },
    { key: 'fair', filter: { not: amount('Less than', 100) }, next: null },
  ],
}
const scopeOf = (value: unknown, diff: unknown = []) => ({
  trigger: { state: { event: { object: { data: { amount: value }, diff } } } },
})

test.each(
  blockChecks(branch, {
    input,
    scope: scopeOf(5000),
    output: { branch: 'large' },
    rehearsal: { branch: 'large' },
  }),
)('%s', (_title, check) => check())

const taken = (scope: object, given: unknown = input) =>
  branch.run(contextOf(new StandIn({}).call, { scope: { ...scope } }), given)

test('takes the first branch whose filter holds', async () => {
  const large = { state: 'done', output: { branch: 'large' }, next: 'call', unresolved: [] }
  expect(await taken(scopeOf(5000))).toEqual(large)
})

test('may end the run', async () => {
  expect(await taken(scopeOf(500))).toMatchObject({ output: { branch: 'fair' }, next: null })
})

test('goes on with the node that follows where no branch fits', async () => {
  expect(await taken(scopeOf(5))).toEqual({ state: 'done', output: { branch: null }, unresolved: [] })
})

test('looks at what the event changed', async () => {
  const changed = { branches: [{ key: 'left', filter: amount('Changed from', 5), next: 'call' }] }
  const diff = [{ op: 'update', path: ['amount'], val: 7, oldVal: 5 }]
  expect(await taken(scopeOf(7, diff), changed)).toMatchObject({ output: { branch: 'left' } })
  expect(await taken(scopeOf(7), changed)).toMatchObject({ output: { branch: null } })
})

test('compares with variables, and names those without a value', async () => {
  const path = 'trigger.state.event.object.data.limit'
  const given = { branches: [{ key: 'above', filter: { not: amount('Less than', `{{${path}}}`) }, next: 'call' }] }
  const data = { amount: 7, limit: 5 }
  const scope = { trigger: { state: { event: { object: { data } } } } }
  expect(await taken(scope, given)).toMatchObject({ output: { branch: 'above' }, unresolved: [] })
  expect(await taken(scopeOf(7), given)).toMatchObject({ output: { branch: null }, unresolved: [path] })
})

test('names the blocks that it may lead to, whatever it is given', () => {
  expect(branch.branches?.(input)).toEqual(['call'])
  expect(branch.branches?.({ branches: [null, 5, { next: 'a' }] })).toEqual(['a'])
  expect(branch.branches?.({})).toEqual([])
})

test('takes each key once', () => {
  const [one] = input.branches
  expect(branch.input.safeParse({ branches: [one, one] }).error?.issues.map(({ path }) => path)).toEqual([
    ['branches', 1, 'key'],
  ])
})

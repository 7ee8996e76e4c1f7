import { expect, test } from 'vitest'
import { blockChecks } from './testing/block-checks.ts'
import { contextOf, StandIn } from './testing/stand-in.ts'
import { forEach } from './for-each.ts'

const scope = { find: { state: { output: { records: [{ id: 'a' }, { id: 'b' }] } } } }
const input = { items: '{{find.state.output.records}}', do: 'remind' }
const output = { item: { id: 'a' }, index: 0, total: 2 }

test.each(blockChecks(forEach, { input, scope, output, rehearsal: output }))('%s', (_title, check) => check())

const run = (iteration: number) => forEach.run(contextOf(new StandIn({}).call, { scope, iteration }), input)

test('takes the next item each time, and goes on with its node behind the last', async () => {
  expect(await run(1)).toMatchObject({ output: { item: { id: 'b' }, index: 1 }, next: 'remind', isRepeated: true })
  expect(await run(2)).toEqual({ state: 'done', output: { item: null, index: 2, total: 2 } })
})

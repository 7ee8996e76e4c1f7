import { expect, test } from 'vitest'
import { blockChecks } from './testing/block-checks.ts'
import { answeredRecord, contextOf, StandIn } from './testing/stand-in.ts'
import { createRecord } from './create-record.ts'

const deal = answeredRecord('deal', 'deal-1', { name: 'One' })
const { relationships: _, ...found } = deal
const diff = [{ op: 'add' as const, path: ['name'], val: 'One' }]
const example = {
  input: { object: 'deal', attributes: { name: 'One' } },
  answers: {
    'records.create': ({ dry_run }: { dry_run?: unknown }) => ({
      data: deal,
      ...(dry_run === true && { meta: { dry_run, diff } }),
    }),
  },
  output: { record: found },
  rehearsal: { record: found, dry_run: true, diff },
}

test.each(blockChecks(createRecord, example))('%s', (_title, check) => check())

test('creates what its input says', async () => {
  const api = new StandIn(example.answers)
  await createRecord.run(contextOf(api.call), example.input)
  expect(api.calls).toEqual([
    {
      name: 'records.create',
      input: { workspace: 'acme', object: 'deal', body: { data: { type: 'deal', attributes: { name: 'One' } } } },
      hasEffect: true,
    },
  ])
})

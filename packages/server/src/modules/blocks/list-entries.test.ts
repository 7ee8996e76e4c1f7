import { describe, expect, test } from 'vitest'
import { blockChecks } from './testing/block-checks.ts'
import { contextOf, StandIn } from './testing/stand-in.ts'
import { addToList, removeFromList } from './list-entries.ts'

const input = { object: 'person', list_id: 'list-1', record_ids: ['person-1', 'person-2'] }
const told = { list_id: 'list-1', record_ids: ['person-1', 'person-2'] }
const body = {
  data: [
    { type: 'person', id: 'person-1' },
    { type: 'person', id: 'person-2' },
  ],
}

describe.each([
  [addToList, 'lists.addRecords'],
  [removeFromList, 'lists.removeRecords'],
] as const)('$id', (block, operation) => {
  const sent = { workspace: 'acme', object: 'person', list: 'list-1', body }
  const example = {
    input,
    answers: { [operation]: () => ({}) },
    output: told,
    rehearsal: { ...told, dry_run: true, would: { operation, input: sent } },
  }

  test.each(blockChecks(block, example))('%s', (_title, check) => check())

  test(`calls ${operation}`, async () => {
    const api = new StandIn(example.answers)
    await block.run(contextOf(api.call), input)
    expect(api.calls).toMatchObject([{ name: operation, input: sent }])
  })
})

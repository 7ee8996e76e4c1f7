import { expect, test } from 'vitest'
import { blockChecks } from './testing/block-checks.ts'
import { answeredRecord, contextOf, StandIn } from './testing/stand-in.ts'
import { findRecords } from './find-records.ts'

const person = answeredRecord('person', 'person-1', { job_title: 'Admiral' })
const { relationships: _, ...found } = person
const page = {
  data: [person],
  included: [],
  meta: { limit: 100, offset: 0, total_records: 7 },
  links: { next: null, prev: null, self: 'x' },
}
const output = { records: [found], total: 7 }
const example = { input: { object: 'person' }, answers: { 'resources.query': () => page }, output, rehearsal: output }

test.each(blockChecks(findRecords, example))('%s', (_title, check) => check())

test('asks for a page that is no longer than what a run may keep', async () => {
  const api = new StandIn(example.answers)
  await findRecords.run(contextOf(api.call), { object: 'person' })
  expect(api.calls).toMatchObject([{ input: { body: { page: { offset: 0, limit: 100 } } } }])
  await expect(findRecords.run(contextOf(api.call), { object: 'person', limit: 1001 })).rejects.toThrow()
})

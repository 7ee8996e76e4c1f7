import { expect, test } from 'vitest'
import { blockChecks } from './testing/block-checks.ts'
import { answeredRecord, contextOf, StandIn } from './testing/stand-in.ts'
import { upsertRecord } from './upsert-record.ts'

const person = answeredRecord('person', 'person-1', { job_title: 'Admiral' })
const { relationships: _, ...found } = person
const counts = { created: 1, updated: 0, unchanged: 0 }
const input = { object: 'person', match_on: 'email_addresses', attributes: { job_title: 'Admiral' } }
const example = {
  input,
  answers: {
    'records.createMany': ({ dry_run }: { dry_run?: unknown }) => ({
      data: [person],
      meta: { ...counts, ...(dry_run === true && { dry_run, diff: [] }) },
    }),
  },
  output: { record: found, created: true },
  rehearsal: { record: found, created: true, dry_run: true, diff: [] },
}

test.each(blockChecks(upsertRecord, example))('%s', (_title, check) => check())

test.each([
  ['changed', { created: 0, updated: 1, unchanged: 0 }],
  ['left as it is', { created: 0, updated: 0, unchanged: 1 }],
])('says that it created nothing where a record was found and %s', async (_how, meta) => {
  const api = new StandIn({ 'records.createMany': () => ({ data: [person], meta }) })
  expect(await upsertRecord.run(contextOf(api.call), input)).toEqual({
    state: 'done',
    output: { record: found, created: false },
  })
})

test('hands on how a value is to be written', async () => {
  const meta = { labels: { collection: 'replace' as const } }
  const api = new StandIn({
    'records.createMany': ({ body }: { body?: unknown }) => {
      expect(body).toMatchObject({ match_on: 'email_addresses', meta })
      return { data: [person], meta: counts }
    },
  })
  expect((await upsertRecord.run(contextOf(api.call), { ...input, meta })).state).toBe('done')
})

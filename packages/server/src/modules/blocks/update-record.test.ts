import { expect, test } from 'vitest'
import { failure } from '../../kernel/errors.ts'
import { blockChecks } from './testing/block-checks.ts'
import { answeredRecord, contextOf, StandIn } from './testing/stand-in.ts'
import { updateRecord } from './update-record.ts'

const deal = answeredRecord('deal', 'deal-1', { stage: 'Won' })
const { relationships: _, ...found } = deal
const diff = [{ op: 'update' as const, path: ['stage'], val: 'Won', oldVal: 'Lead' }]
const input = { object: 'deal', record_id: 'deal-1', attributes: { stage: 'Won' } }
const example = {
  input,
  answers: {
    'records.update': ({ dry_run }: { dry_run?: unknown }) => ({
      data: deal,
      ...(dry_run === true && { meta: { dry_run, diff } }),
    }),
  },
  output: { record: found },
  rehearsal: { record: found, dry_run: true, diff },
}

test.each(blockChecks(updateRecord, example))('%s', (_title, check) => check())

const dry = { run: { id: 'run-1', workflowId: 'workflow-1', isDryRun: true } }
const api = new StandIn({
  'records.update': () => {
    throw failure('not_found')
  },
})

test('shows in a test run what it would change of a record that an earlier step would have created', async () => {
  const scope = { create: { state: { output: { dry_run: true, record: { type: 'deal', id: 'deal-1' } } } } }
  expect(await updateRecord.run(contextOf(api.call, { ...dry, scope }), input)).toEqual({
    state: 'done',
    output: { record: { type: 'deal', id: 'deal-1', attributes: { stage: 'Won' } }, dry_run: true },
  })
})

test('fails in a test run where there is no such record, and no step would have created it', async () => {
  const scope = { create: { state: { output: { record: { type: 'deal', id: 'deal-1' } } } } }
  await expect(updateRecord.run(contextOf(api.call, { ...dry, scope }), input)).rejects.toMatchObject({
    code: 'not_found',
  })
})

import { expect, test } from 'vitest'
import { blockChecks } from './testing/block-checks.ts'
import { answeredRecord, contextOf, StandIn } from './testing/stand-in.ts'
import { setRelationship } from './set-relationship.ts'

const diff = [{ op: 'update' as const, path: ['company_id'], val: 'company-1', oldVal: null }]
const linked = ({ dry_run }: { dry_run?: unknown }) => (dry_run === true ? { meta: { dry_run, diff } } : {})
const deal = answeredRecord('deal', 'deal-1', {}, { company_id: { data: null }, people: { data: [] } })
const input = { object: 'deal', record_id: 'deal-1', relationship: 'company_id', ids: ['company-1'] }
const answers = {
  'records.get': () => ({ data: deal, included: [], meta: {} }),
  'relationships.add': linked,
  'relationships.replace': linked,
}
const example = {
  input,
  answers,
  output: { ids: ['company-1'] },
  rehearsal: { ids: ['company-1'], dry_run: true, diff },
}

test.each(blockChecks(setRelationship, example))('%s', (_title, check) => check())

test.each([
  ['replaces the link of a relationship to one record', 'company_id', 'relationships.replace'],
  ['adds links to a relationship to many records', 'people', 'relationships.add'],
])('%s', async (_title, relationship, operation) => {
  const api = new StandIn(answers)
  await setRelationship.run(contextOf(api.call), { ...input, relationship })
  expect(api.calls.map(({ name }) => name)).toEqual(['records.get', operation])
  expect(api.calls[1]?.input['body']).toEqual({ data: [{ type: 'record', id: 'company-1' }] })
})

test('fails where the object has no such relationship', async () => {
  const run = setRelationship.run(contextOf(new StandIn(answers).call), { ...input, relationship: 'stage' })
  await expect(run).rejects.toMatchObject({ code: 'not_found' })
})

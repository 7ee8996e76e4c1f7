import { expect, test } from 'vitest'
import { blockChecks } from './testing/block-checks.ts'
import { contextOf, StandIn } from './testing/stand-in.ts'
import { unsetRelationship } from './unset-relationship.ts'

const diff = [{ op: 'delete' as const, path: ['people', 'person-1'], oldVal: 'person-1' }]
const unlinked = ({ dry_run }: { dry_run?: unknown }) => (dry_run === true ? { meta: { dry_run, diff } } : {})
const answers = { 'relationships.remove': unlinked, 'relationships.replace': unlinked }
const all = { object: 'deal', record_id: 'deal-1', relationship: 'people' }

test.each(
  blockChecks(unsetRelationship, {
    input: { ...all, ids: ['person-1'] },
    answers,
    output: { ids: ['person-1'] },
    rehearsal: { ids: ['person-1'], dry_run: true, diff },
  }),
)('%s', (_title, check) => check())

test.each(
  blockChecks(unsetRelationship, {
    input: all,
    answers,
    output: { ids: null },
    rehearsal: { ids: null, dry_run: true, diff },
  }),
)('all links: %s', (_title, check) => check())

test('replaces all links by none where it is told no ids', async () => {
  const api = new StandIn(answers)
  await unsetRelationship.run(contextOf(api.call), all)
  expect(api.calls).toMatchObject([
    { name: 'relationships.replace', input: { body: { data: [{ type: 'record', id: null }] } } },
  ])
})

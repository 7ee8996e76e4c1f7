import { test } from 'vitest'
import { blockChecks } from './testing/block-checks.ts'
import { deleteRecord } from './delete-record.ts'

const diff = [{ op: 'delete' as const, path: [], oldVal: 'deal-1' }]
const record = { type: 'deal', id: 'deal-1' }
const example = {
  input: { object: 'deal', record_id: 'deal-1' },
  answers: {
    'records.remove': ({ dry_run }: { dry_run?: unknown }) => (dry_run === true ? { meta: { dry_run, diff } } : {}),
  },
  output: { record },
  rehearsal: { record, dry_run: true, diff },
}

test.each(blockChecks(deleteRecord, example))('%s', (_title, check) => check())

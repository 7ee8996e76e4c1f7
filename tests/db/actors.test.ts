import { expect, test } from 'vitest'
import { tables } from '../../packages/server/src/db/columns.ts'

/** Tables that keep as whom something is done, and why it needs no end of its own. */
const others: Readonly<Record<string, string>> = {
  agent_undo: 'A job of some seconds, which asks how its person stands.',
  import_revert: 'A job, which asks how its person stands before each portion.',
  record_import: 'A job, which asks how its person stands before each portion.',
  data_export: 'A job of some minutes, which asks how its person stands.',
  email: 'An e-mail that was accepted; the run that wrote it stops.',
  event: 'History.',
  outbox: 'History.',
  notification: 'History.',
}

test('each table that keeps as whom something works is of a kind that stops', () => {
  const keeping = Object.entries(tables).flatMap(([table, columns]) =>
    'actor' in columns || 'acting' in columns ? [table] : [],
  )
  const stopping = ['webhook', 'workflow', 'workflow_run']
  expect(keeping.toSorted()).toEqual([...Object.keys(others), ...stopping].toSorted())
})

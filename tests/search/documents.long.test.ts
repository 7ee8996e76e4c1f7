import { expect, test } from 'vitest'
import { recordsOf } from '../harness/records.ts'
import { expectCollected, withOlderRecords } from './older-records.ts'

test('older records get their search documents in the background, and no search answers before', async () => {
  const { app, made } = await withOlderRecords()
  // It waits for them for five seconds.
  const { status, headers, body } = await recordsOf(app).list('person', { search: 'angstrom' })
  expect([status, body.errors[0].code, Number(headers['retry-after']) > 0]).toEqual([503, 'overloaded', true])
  await expectCollected(app, made)
})

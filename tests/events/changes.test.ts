import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { logOf } from '../harness/events.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { verificationOf } from '../harness/verification.ts'

const app = await startApp()
const records = recordsOf(app)
const log = logOf(app)
const { change, found } = verificationOf(app.databaseUrl)

const changesOf = (events: readonly Json[], recordId: string): Json[] =>
  events.filter(({ record_id }) => record_id === recordId).map(({ data }) => data.diff)

test('changes are stored once: the log shows those of the feed, where a merge has moved it, too', async () => {
  const before = await log.end()
  const [kept, merged] = await records.createMany('deal', [{ name: 'Kept' }, { name: 'Merged' }])
  await records.patch('deal', merged!.id, { name: 'Renamed' })
  const [created, updated] = changesOf(await log.since(before), merged!.id)
  expect(created).toContainEqual({ op: 'add', path: ['name'], val: 'Merged', oldVal: null })
  expect(updated).toEqual([{ op: 'update', path: ['name'], val: 'Renamed', oldVal: 'Merged' }])
  await change(async (tx, workspace_id) => {
    const stored = await tx.query<{ payload: Json }>(({ knex }) =>
      knex('event').select('payload').where({ workspace_id, record_id: merged!.id }),
    )
    expect(stored.map(({ payload }) => payload)).toEqual([{}, {}])
  })
  expect((await records.merge('deal', kept!.id, [merged!.id])).status).toBe(204)
  expect(changesOf(await log.since(before), merged!.id).slice(0, 2)).toEqual([created, updated])
})

test('a record that is purged takes the values in its events with it', async () => {
  const { id } = await records.create('deal', { name: 'Secret' })
  const before = await log.end()
  await records.patch('deal', id, { name: 'Secret too' })
  await records.remove('deal', [id])
  await change((tx, workspace_id) =>
    tx.change(({ knex }) => knex('record').where({ workspace_id, id }).update({ deleted_at: 1 })),
  )
  expect(await app.purge()).toEqual({ records: 1, more: false })
  const events = (await log.since(before)).filter(({ record_id }) => record_id === id)
  expect(events.map(({ type, data }) => [type, data])).toEqual([
    ['record.updated', { diff: [] }],
    ['record.deleted', {}],
  ])
})

test('the deep check finds an event whose changes are gone', async () => {
  const { id } = await records.create('deal', { name: 'Lost' })
  await log.end()
  expect(await found()).toEqual({})
  const lost = await change(async (tx, workspace_id) => {
    const rows = await tx.query(({ knex }) => knex('activity').where({ workspace_id, record_id: id }))
    await tx.change(({ knex }) => knex('activity').where({ workspace_id, record_id: id }).delete())
    return rows
  })
  expect(await found()).toMatchObject({ 'Changes of events': { found: 1, details: [expect.stringContaining('1 of')] } })
  await change((tx) => tx.insert('activity', lost as Parameters<typeof tx.insert<'activity'>>[1]))
  expect(await found()).toEqual({})
})

import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf, recordsPath, unknownId } from '../harness/records.ts'
import { verificationOf } from '../harness/verification.ts'
import { listsOf } from '../lists/lists.ts'

const app = await startApp({ fieldIndexThreshold: 0 })
const records = recordsOf(app)
const { found, change } = verificationOf(app.databaseUrl)

const [company, other] = await records.createMany('company', [
  { name: 'Aker', domains: { items: ['aker.example'] }, industry: 'Energy' },
  { name: 'Borr', industry: 'Tech' },
])
const [ada, grace, gone] = await records.createMany('person', [
  { email_addresses: { items: ['ada@example.com'] }, name: { first_name: 'Ada' }, company_id: company!.id },
  { email_addresses: { items: ['grace@example.com'] }, company_id: company!.id },
  { email_addresses: { items: ['gone@example.com'] }, company_id: other!.id },
])
const lists = listsOf(app)
const { id: list } = await lists.create('person')
await lists.add('person', list, [ada!.id, grace!.id, gone!.id])
await records.list('company', { 'sortOrder[column]': 'industry', 'sortOrder[dir]': 'ASC' })
await records.list('company', { 'filter[industry][Contains]': 'Ener' })
await app.startJobs()
await app.indexes.ready()
await records.remove('person', [gone!.id])
await records.patch('person', grace!.id, { company_id: other!.id })
await app.idle()

test('finds nothing where only servers have written', async () => {
  expect(await found()).toEqual({})
})

test('finds every kind of row that differs, and rebuilds it without touching a record', async () => {
  const before = await app.recordVersions()
  await change(async (tx, workspace_id) => {
    const own = (table: string) =>
      tx.change(({ knex }) => knex(table).where({ workspace_id, record_id: ada!.id }).delete())
    await own('unique_key')
    await own('search_document')
    await tx.change(({ knex }) => knex('field_text').where({ workspace_id, record_id: company!.id }).delete())
    await tx.change(({ knex }) =>
      knex('field_gram').where({ workspace_id, record_id: company!.id }).update({ known_text: 'x' }),
    )
    await tx.insert('unique_key', [{ workspace_id, field: 'person.email', key_value: 'x', record_id: unknownId }])
    await tx.insert('link', [
      { workspace_id, relationship: 'person.company_id', from_id: company!.id, to_id: unknownId },
    ])
    await tx.change(({ knex }) => knex('link').where({ workspace_id, from_id: ada!.id }).delete())
    await tx.insert('list_entry', [{ workspace_id, list_id: list, record_id: unknownId, hidden: false }])
    await tx.change(({ knex }) =>
      knex('list_entry').where({ workspace_id, record_id: gone!.id }).update({ hidden: false }),
    )
    await tx.change(({ knex }) => knex('record_count').where({ workspace_id, object: 'person' }).delete())
    await tx.change(({ knex }) => knex('record_count_delta').where({ workspace_id, object: 'person' }).delete())
    const feed_end = { top: 1, at: 0, open: [] }
    await tx.updateByKey('record', ['workspace_id', 'id'], [{ workspace_id, id: grace!.id, feed_end }])
    await tx.change(({ knex }) => knex('event_head').where({ workspace_id }).update({ last_sequence: 1 }))
  })
  const first = await found()
  expect(Object.fromEntries(Object.entries(first).map(([name, one]) => [name, one.found]))).toMatchObject({
    'Event numbers': 1,
    'Index rows': 3,
    Links: 1,
    References: expect.any(Number),
    'List entries': 2,
    'Record counts': expect.any(Number),
    'Link counts': expect.any(Number),
    'List counts': 1,
    'Ends of feeds': 1,
  })
  expect(first['Index rows']?.details.join('\n')).toMatch(new RegExp(`person ${ada!.id} differs .*unique_key`))
  const repaired = await found({ repair: true })
  for (const { found: all, repaired: some } of Object.values(repaired)) expect(some).toBe(all)
  expect(await found()).toEqual({})
  expect(await app.recordVersions()).toEqual(before)
  expect((await app.api.get(recordsPath('person').replace(/records$/, 'stats'))).body.data.attributes.count).toBe(2)
})

test('finds a job that nothing runs, and an event that is missing, which no repair can bring back', async () => {
  const hourMs = 3_600_000
  const lost = await change(async (tx, workspace_id) => {
    const events = await tx.query(({ knex }) => knex('event').where({ workspace_id, sequence: 2 }))
    await tx.change(({ knex }) => knex('event').where({ workspace_id, sequence: 2 }).delete())
    const [run_at, created_at] = [app.now() + hourMs, app.now()]
    const times = { run_at, scheduled_at: created_at, created_at }
    const job = {
      workspace_id,
      id: unknownId,
      kind: 'lists.clean',
      payload: { list },
      attempt: 0,
      failures: 0,
      losses: 0,
    }
    await tx.insert('job', [{ ...job, ...times }])
    return events
  })
  expect(await found()).not.toHaveProperty('Overdue jobs')
  expect(await found({ repair: true, aheadMs: 2 * hourMs })).toMatchObject({
    'Overdue jobs': { found: 1, repaired: 0, details: [expect.stringContaining(unknownId)] },
    'Event numbers': { found: 1, repaired: 0, details: [expect.stringContaining('1 of the events')] },
  })
  await change((tx) => tx.insert('event', lost as Parameters<typeof tx.insert<'event'>>[1]))
})

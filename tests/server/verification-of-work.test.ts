import { expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { freshAddress, recordsOf, unknownId } from '../harness/records.ts'
import { until } from '../harness/until.ts'
import { verificationOf } from '../harness/verification.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const minuteMs = 60_000

const app = await startApp({ workflowEmailsPerDay: 100 })
const records = recordsOf(app)
const { create, endedRuns, path } = workflowsOf(app)
const { found, change } = verificationOf(app.databaseUrl)

const email = { plugin_id: 'svc:send:email', input: { subject: 'Hello', text: 'Hello.' } }

/** Two people in a campaign, and one deal for a workflow that sends an e-mail: each of them has had theirs. */
await app.startJobs()
const persons = await records.createMany(
  'person',
  Array.from({ length: 2 }, () => ({ email_addresses: { items: [freshAddress()] } })),
)
const campaigns = '/workspaces/acme/campaigns'
const send = { ...email, prev: 'trigger', next: null }
const spring = { name: 'Spring', blocks: { send }, sending: { daily_cap: 10 } }
const { id: campaign } = (await app.api.post(campaigns, { body: spring })).body.data
await app.api.post(`${campaigns}/${campaign}/start`, {})
await app.api.post(`${campaigns}/${campaign}/recipients`, { body: { items: persons.map(({ id }) => id) } })
const onDeal = { plugin_id: 'on:svc:create:record', input: { object: 'deal' } }
const toAda = { ...email.input, to: 'ada@example.com' }
const { id: workflow } = await create({
  name: 'Deals',
  enabled: true,
  ...chain(onDeal, { key: 'send', ...email, input: toAda }),
})
await records.create('deal', { name: 'Sold' })
await endedRuns(workflow)
await until(async () => {
  const { attributes } = (await app.api.get(`${campaigns}/${campaign}/progress`)).body.data
  return attributes.enrolled === 2 && attributes.pending === 0
})

const numbersOf = (checks: Awaited<ReturnType<typeof found>>) =>
  Object.fromEntries(Object.entries(checks).map(([name, one]) => [name, [one.found, one.repaired]]))

test('finds nothing after runs and e-mails', async () => {
  expect(await found()).toEqual({})
})

test('finds counters and ledgers of runs, recipients and e-mails that do not balance, and repairs them', async () => {
  await change(async (tx, workspace_id) => {
    for (const name of [`runs/${workflow}`, `recipients/${campaign}`])
      for (const table of ['record_count', 'record_count_delta'])
        await tx.change(({ knex }) => knex(table).where({ workspace_id, object: name }).delete())
    await tx.change(({ knex }) => knex('email_day').where({ workspace_id }).update({ taken: 0 }))
    await tx.change(({ knex }) => knex('campaign_day').where({ workspace_id }).update({ taken: 1 }))
  })
  const broken = {
    'Run counts': [1, 0],
    'E-mails of a day': [1, 0],
    'Recipient counts': [1, 0],
    'Days of campaigns': [1, 0],
  }
  expect(numbersOf(await found())).toEqual(broken)
  const repaired = Object.fromEntries(Object.keys(broken).map((name) => [name, [1, 1]]))
  expect(numbersOf(await found({ repair: true }))).toEqual(repaired)
  expect(await found()).toEqual({})
  expect((await app.api.get(`${path}/${workflow}/runs`)).body.meta.total_records).toBe(1)
  expect((await app.api.get(`${campaigns}/${campaign}/progress`)).body.data.attributes.enrolled).toBe(2)
})

// On SQLite events are numbered before the commit.
test.runIf(inject('database') === 'postgres')('finds an event that has no number, and gives it one', async () => {
  const [event] = await change((tx, workspace_id) =>
    tx.query<{ sequence: number }>(({ knex }) =>
      knex('event').where({ workspace_id }).orderBy('sequence', 'desc').limit(1),
    ),
  )
  await change(async (tx) => {
    const { sequence: _none, ...waiting } = event as Parameters<typeof tx.insert<'event'>>[1][number]
    await tx.insert('outbox', [{ ...waiting, id: unknownId, created_at: app.now() - 2 * minuteMs }])
  })
  expect(numbersOf(await found())).toEqual({ 'Event numbers': [1, 0] })
  expect(numbersOf(await found({ repair: true }))).toEqual({ 'Event numbers': [1, 1] })
  expect(await found()).toEqual({})
})

test('finds a job whose process is gone and that no other has taken over', async () => {
  const now = app.now()
  const times = { run_at: now, scheduled_at: now, created_at: now, leased_at: now }
  const counts = { attempt: 1, failures: 0, losses: 0 }
  const job = { kind: 'lists.clean', payload: { list: unknownId }, leased_by: 'a process that is gone' }
  await change((tx, workspace_id) => tx.insert('job', [{ workspace_id, id: unknownId, ...job, ...times, ...counts }]))
  expect(await found()).toEqual({})
  expect(await found({ repair: true, aheadMs: 6 * minuteMs })).toMatchObject({
    'Overdue jobs': { found: 1, repaired: 0, details: [expect.stringContaining('no other has taken it over')] },
  })
})

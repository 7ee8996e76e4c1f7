import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { lettersOf } from '../harness/letters.ts'
import { verificationOf } from '../harness/verification.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const dayMs = 24 * 3_600_000

const app = await startApp({ workflowEmailsPerDay: 5 })
// Noon: no day ends while the test runs.
await app.advance((Math.floor(app.now() / dayMs) + 1) * dayMs + dayMs / 2 - app.now())
const { api } = app
const workflows = workflowsOf(app)
const { records, person, write } = lettersOf(app)

const to = ['ada@example.com', 'grace@example.com']
const { id } = await workflows.create({
  name: 'Write',
  enabled: true,
  ...chain(
    { plugin_id: 'on:manual:execution', input: { object: 'deal' } },
    { key: 'letter', plugin_id: 'svc:send:email', input: { to, subject: 'Offer', text: 'Hello.' } },
  ),
})
const deal = await records.create('deal', { name: 'Dock' })

const run = async () => {
  const { body } = await api.post(`${workflows.path}/${id}/runs`, { body: { object: 'deal', record_id: deal.id } })
  return (await workflows.runIn(body.data.id)).attributes
}

test('plain workflows of a workspace write to so many recipients on a day; sequences do not count', async () => {
  expect((await run()).status).toBe('success')
  await api.post('/workspaces/acme/suppressions', { body: { address: to[0] } })
  expect((await run()).status).toBe('success')
  expect((await run()).status).toBe('success')
  await write(await person('linus@example.com'), { subject: 'A', text: 'B' })
  expect((await run()).status).toBe('success')
  const { status, steps } = await run()
  expect([status, steps[0].error]).toMatchObject(['failed', { code: 'email_limit_reached' }])
  expect(steps[0].error.detail).toContain('5 recipients a day')
  expect((await api.get('/workspaces/acme/emails')).body.meta.total_records).toBe(5)
  await app.advance(dayMs)
  expect((await run()).status).toBe('success')
})

test('a process whose clock is behind counts on the day that another has begun', async () => {
  await app.advance(dayMs)
  expect((await run()).status).toBe('success')
  await app.advance(-dayMs)
  const statuses: string[] = []
  for (let more = 0; more < 5; more++) statuses.push((await run()).status)
  expect(statuses).toEqual(['success', 'success', 'success', 'success', 'failed'])
  expect(await verificationOf(app.databaseUrl).found()).toEqual({})
})

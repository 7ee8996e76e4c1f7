import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { withoutTable } from '../harness/missing-table.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp()

test('an enrolment that the server cannot carry on is failed in the end, and says so', async () => {
  const lists = '/workspaces/acme/objects/person/lists'
  const { id: person } = await recordsOf(app).create('person', { email_addresses: { items: ['ada@example.com'] } })
  const { body: list } = await app.api.post(lists, { body: { title: 'Guests', type: 'static' } })
  await app.api.post(`${lists}/${list.data.id}/resources`, { body: { data: [{ type: 'person', id: person }] } })
  const { body: made } = await app.api.post('/workspaces/acme/campaigns', {
    body: { name: 'Doomed', list_id: list.data.id },
  })
  const { body: started } = await app.api.post(`/workspaces/acme/campaigns/${made.data.id}/start`, {})
  await app.lastAttempt('campaigns.enrol')
  await withoutTable(app.databaseUrl, 'list_entry', async () => {
    await app.startJobs()
    await app.settled('campaigns.enrol')
  })
  const task = started.data.attributes.enrolment_task_id
  const { body } = await app.api.get(`/workspaces/acme/async-tasks/${task}`)
  expect(body.data.attributes).toMatchObject({
    state: 'failed',
    error_code: 'internal',
    failed_at: expect.any(String),
    completed_at: null,
  })
  expect(app.takeErrors().length).toBeGreaterThan(0)
})

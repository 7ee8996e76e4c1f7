import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { openAt } from '../harness/database.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { until } from '../harness/until.ts'
import { key } from './fresh.ts'

const app = await startApp()
const records = recordsOf(app)
const O = '/workspaces/acme/objects'

test('does the jobs that linked participants before 0071, and were pending at the upgrade', async () => {
  const known = await records.create('person', { email_addresses: { items: ['known@example.com'] } })
  const participants = {
    items: ['known@example.com', { email: 'new@example.com', name: 'Ada Byron' }, 'admin@example.com'],
  }
  const meeting = await records.create('meeting', { title: 'Before', participants })
  const path = `${O}/meeting/records/${meeting.id}/relationships/people`
  const linked = async () => (await app.api.get(path)).body.data
  const before = await linked()
  // As it was when a change had named participants, and its job had not run.
  expect((await app.api.patch(path, { body: { data: [] } })).status).toBe(200)
  const created = before.find(({ id }: Json) => id !== known.id)
  await records.patch('person', created.id, { email_addresses: { items: ['another@example.com'] } })
  expect(await linked()).toEqual([])
  const workspaceId = await app.workspaceId('acme')
  const database = openAt(app.databaseUrl)
  const actor = { kind: 'user', userId: app.userIds.member, scopes: [] }
  const now = app.now()
  await database.write((tx) =>
    tx.insert('job', [
      {
        workspace_id: workspaceId,
        id: key(1),
        kind: 'meetings.people',
        payload: { meeting_id: meeting.id, actor },
        run_at: now,
        scheduled_at: now,
        attempt: 0,
        failures: 0,
        losses: 0,
        created_at: now,
      },
    ]),
  )
  await database.close()
  await app.startJobs()
  const after = await until(async () => {
    const people = await linked()
    return people.length === 2 && people
  })
  expect(
    after.map(({ attributes }: Json) => [attributes.email_addresses.items[0], attributes.name?.last_name]),
  ).toEqual(
    expect.arrayContaining([
      ['known@example.com', undefined],
      ['new@example.com', 'Byron'],
    ]),
  )
})

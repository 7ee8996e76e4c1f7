import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { openAt } from '../harness/database.ts'
import type { Json } from '../harness/http.ts'

const app = await startApp()
const day = (days: number): string =>
  new Date(app.now() + days * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')

const load = async (...lines: readonly string[]): Promise<Json> => {
  const event = ['BEGIN:VEVENT', 'UID:of-before@test', ...lines, 'SUMMARY:Daily', 'END:VEVENT']
  const ics = ['BEGIN:VCALENDAR', ...event, 'END:VCALENDAR', ''].join('\r\n')
  const { status, body } = await app.api.post('/workspaces/acme/meetings/import', { as: 'member', body: { ics } })
  expect([status, body.errors]).toEqual([200, undefined])
  return body.data
}
const series = (count: number) =>
  load(`DTSTART:${day(1)}T090000Z`, 'DURATION:PT1H', `RRULE:FREQ=DAILY;COUNT=${count}`, `SEQUENCE:${10 - count}`)

test('a series from before 0070 has no tail when it is shortened; a meeting given another event stays', async () => {
  const { created } = await series(4)
  // As entries were then.
  const database = openAt(app.databaseUrl)
  const before = { uid: null, original: null, series_sequence: null, series_stamped_at: null }
  await database.write((tx) => tx.change(({ knex }) => knex('calendar_entry').update(before)))
  await database.close()
  const renamed = { data: { type: 'meeting', attributes: { event_id: 'of-before@test/else' } } }
  const path = '/workspaces/acme/objects/meeting/records'
  expect((await app.api.patch(`${path}/${created[3]}`, { as: 'member', body: renamed })).status).toBe(200)
  expect(await series(1)).toMatchObject({ created: [], deleted: [created[1], created[2]] })
  expect(await series(1)).toMatchObject({ created: [], deleted: [] })
})

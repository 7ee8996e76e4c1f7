import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'

const app = await startApp()

const dayMs = 86_400_000
/** Days from today, in the form of calendars. */
const day = (days: number) => new Date(app.now() + days * dayMs).toISOString().slice(0, 10).replaceAll('-', '')

const load = async (method: string, ...lines: readonly string[]): Promise<Json> => {
  const event = ['BEGIN:VEVENT', ...lines, 'END:VEVENT']
  const ics = ['BEGIN:VCALENDAR', `METHOD:${method}`, ...event, 'END:VCALENDAR', ''].join('\r\n')
  const { status, body } = await app.api.post('/workspaces/acme/meetings/import', { as: 'member', body: { ics } })
  expect([status, body.errors]).toEqual([200, undefined])
  return body.data
}

const timed = (uid: string, ...more: readonly string[]) =>
  load('REQUEST', `UID:${uid}`, `DTSTART;TZID=Europe/Berlin:${day(1)}T090000`, 'RRULE:FREQ=DAILY;COUNT=3', ...more)
const wholeDays = (uid: string) =>
  load('REQUEST', `UID:${uid}`, `DTSTART;VALUE=DATE:${day(1)}`, 'RRULE:FREQ=DAILY;COUNT=3')

/** Every way to name the second instance of a series at nine in Berlin, whose zone the start of the instance names. */
const ofTimed = [
  `;TZID=Europe/Berlin:${day(2)}T090000`,
  `;TZID=W. Europe Standard Time:${day(2)}T090000`,
  `:${day(2)}T090000`,
  `;VALUE=DATE:${day(2)}`,
  `:${day(2)}T090000+0${new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', timeZoneName: 'longOffset' })
    .format(app.now() + 2 * dayMs)
    .slice(-4, -3)}00`,
]
const ofWholeDays = [`;VALUE=DATE:${day(2)}`, `:${day(2)}`, `:${day(2)}T000000`, `:${day(2)}T000000Z`]

test('an instance that comes without its series is the one that there is, however it is named', async () => {
  for (const [index, name] of ofTimed.entries()) {
    const { created } = await timed(`timed-${index}`)
    const start = `DTSTART;TZID=Europe/Berlin:${day(2)}T150000`
    const moved = await load('REQUEST', `UID:timed-${index}`, `RECURRENCE-ID${name}`, start, 'SEQUENCE:1')
    expect([name, moved.created, moved.updated]).toEqual([name, [], [created[1]]])
    // The series remembers it.
    expect(await timed(`timed-${index}`)).toMatchObject({ created: [], deleted: [] })
    const off = await load('CANCEL', `UID:timed-${index}`, `RECURRENCE-ID${name}`, start, 'SEQUENCE:2')
    expect([name, off.deleted]).toEqual([name, [created[1]]])
  }
  for (const [index, name] of ofWholeDays.entries())
    for (const [at, start] of [`DTSTART:${day(2)}T150000Z`, `DTSTART;VALUE=DATE:${day(3)}`].entries()) {
      const uid = `days-${index}-${at}`
      const { created } = await wholeDays(uid)
      const moved = await load('REQUEST', `UID:${uid}`, `RECURRENCE-ID${name}`, start, 'SEQUENCE:1')
      expect([name, start, moved.created, moved.updated]).toEqual([name, start, [], [created[1]]])
    }
})

test('a cancellation may leave out when the event was to be', async () => {
  const { created } = await timed('whole@test')
  const whole = await load('CANCEL', 'UID:whole@test', 'SEQUENCE:1', 'STATUS:CANCELLED')
  expect(whole.deleted.toSorted()).toEqual(created.toSorted())
  const single = await load('REQUEST', 'UID:single@test', `DTSTART:${day(1)}T090000Z`, 'SEQUENCE:3')
  expect((await load('CANCEL', 'UID:single@test', 'SEQUENCE:2')).deleted).toEqual([])
  expect((await load('PUBLISH', 'UID:single@test', 'SEQUENCE:3', 'STATUS:CANCELED')).deleted).toEqual(single.created)
  const series = await wholeDays('one@test')
  const one = await load('CANCEL', 'UID:one@test', `RECURRENCE-ID;VALUE=DATE:${day(2)}`, 'SEQUENCE:1')
  expect([one.deleted, one.rejected]).toEqual([[series.created[1]], []])
})

const attendee = (status: string) => `ATTENDEE;PARTSTAT=${status}:mailto:ada@reply.example`

test('a reply names its instance in any form', async () => {
  for (const [index, name] of ofTimed.entries()) {
    const uid = `UID:reply-${index}`
    const { created } = await timed(`reply-${index}`, attendee('NEEDS-ACTION'))
    const start = `DTSTART;TZID=Europe/Berlin:${day(2)}T090000`
    const answer = await load('REPLY', uid, `RECURRENCE-ID${name}`, start, attendee('ACCEPTED'))
    expect([name, answer.updated]).toEqual([name, [created[1]]])
  }
})

import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app, 'adminKey')
const { until } = workflowsOf(app)
const as = 'adminKey'
const path = '/workspaces/acme/campaigns'
const send = { plugin_id: 'svc:send:email', input: { subject: 'Hello', text: 'Hello.' } }
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Noon of tomorrow: no test comes near the end of a day, and none of them waits. */
let now = (Math.floor(app.now() / dayMs) + 1) * dayMs + 12 * hourMs
app.stopClock(now)

const pass = (ms: number): void => app.stopClock((now += ms))

let serial = 0

/** A campaign that has begun for so many people. */
async function begin(sending: Json, domains: readonly string[], more: readonly Json[] = []) {
  const { body } = await app.api.post(path, { as, body: { name: 'Spring', blocks: { send }, sending } })
  const one = `${path}/${body.data.id}`
  const people = await records.createMany(
    'person',
    domains.map((domain, index) => ({
      email_addresses: { items: [`reader-${++serial}@${domain}`] },
      ...more[index],
    })),
  )
  await app.api.post(`${one}/start`, { as })
  await app.api.post(`${one}/recipients`, { as, body: { items: people.map(({ id }) => id) } })
  const rows = async (): Promise<Json[]> => (await app.api.get(`${one}/recipients`, { as })).body.data
  const states = async () => (await rows()).map(({ attributes }) => attributes.status)
  /** Waits until so many have their letter and the others wait for their time. */
  const sent = (count: number): Promise<Json[]> =>
    until(async () => {
      const found = await states()
      const done = found.filter((status) => status === 'success').length
      const rest = found.filter((status) => status === 'waiting').length
      const { attributes } = (await app.api.get(`${one}/progress`, { as })).body.data
      expect(attributes.sent + attributes.pending).toBe(domains.length)
      expect(attributes).toMatchObject({ enrolled: domains.length, failed: 0, suppressed: 0 })
      return done === count && done + rest === domains.length && rows()
    })
  return { one, sent }
}

const waits = (rows: readonly Json[]): number[] =>
  rows.flatMap(({ attributes }) => (attributes.status === 'waiting' ? [Date.parse(attributes.resume_at)] : []))

test('no more go out on a day than the campaign may, and the others on the days that follow', async () => {
  const { sent } = await begin(
    { daily_cap: 2 },
    Array.from({ length: 5 }, () => 'example.com'),
  )
  const today = Math.floor(now / dayMs)
  expect(
    waits(await sent(2))
      .map((due) => due / dayMs - today)
      .toSorted((a, b) => a - b),
  ).toEqual([1, 1, 2])
  pass(dayMs)
  await sent(4)
  pass(dayMs)
  await sent(5)
})

test('the day of a cap is that of the workspace', async () => {
  await app.api.post('/workspaces/acme/settings', { as, body: { key: 'time_zone', value: 'Asia/Kathmandu' } })
  const { one, sent } = await begin({ daily_cap: 1 }, ['example.com', 'example.com'])
  // It ends at a quarter past six of UTC.
  const end = (Math.floor(now / dayMs) + 1) * dayMs - (5 * hourMs + 45 * 60_000)
  expect(waits(await sent(1))).toEqual([end])
  pass(end - now)
  await sent(2)
  const totals = await app.api.get(`${one}/totals`, { as })
  const days = [now - dayMs, now].map((at) => new Date(at + 6 * hourMs).toISOString().slice(0, 10))
  expect(totals.body.data).toEqual(days.map((day) => ({ day, kind: 'sent', total: 1 })))
  await app.api.delete('/workspaces/acme/settings', { as, body: { key: 'time_zone' } })
  pass((Math.floor(now / dayMs) + 1) * dayMs + 12 * hourMs - now)
})

test('letters to one domain go out apart from each other, and those to others do not wait for them', async () => {
  const { sent } = await begin({ per_domain_per_minute: 6 }, ['a.example', 'a.example', 'a.example', 'b.example'])
  const due = waits(await sent(2)).map((at) => Math.round((at - now) / 10_000))
  expect(due.toSorted((a, b) => a - b)).toEqual([1, 2])
  pass(10_000)
  await sent(3)
  pass(10_000)
  await sent(4)
})

test('letters wait for their hours, in the time zone of the workspace', async () => {
  await app.api.post('/workspaces/acme/settings', { as, body: { key: 'time_zone', value: 'Asia/Kathmandu' } })
  // Noon of UTC is a quarter to six in Kathmandu.
  const { sent } = await begin({ window: { from: '20:30', until: '24:00' } }, ['example.com'])
  const [due] = waits(await sent(0))
  expect(due).toBe(Math.floor(now / dayMs) * dayMs + 14 * hourMs + 45 * 60_000)
  pass((due ?? 0) - now)
  await sent(1)
  await app.api.delete('/workspaces/acme/settings', { as, body: { key: 'time_zone' } })
})

test('letters wait for the hours of their readers, each in their own time zone', async () => {
  const time_zone = { type: 'string', xSvcType: 'text' }
  const added = await app.api.post('/workspaces/acme/schemas/person/properties', {
    as,
    body: { data: { type: 'schema-properties', attributes: { time_zone } } },
  })
  expect([added.status, added.body.errors]).toEqual([202, undefined])
  await app.idle()
  await app.api.post('/workspaces/acme/settings', { as, body: { key: 'time_zone', value: 'Asia/Tokyo' } })
  const noon = (Math.floor(now / dayMs) + 1) * dayMs + 12 * hourMs
  app.stopClock((now = noon))
  // Zones whose clocks are never changed; a name that is none, and no name, stand for the workspace.
  const zones = ['America/Phoenix', 'Pacific/Kiritimati', 'Asia/Kathmandu', 'Mars/Olympus', null]
  const { sent } = await begin(
    { window: { from: '09:00', until: '10:00', time_zone: 'recipient' } },
    zones.map(() => 'example.com'),
    zones.map((zone) => ({ time_zone: zone })),
  )
  const hours = (rows: readonly Json[]) => waits(rows).map((due) => (due - noon) / hourMs)
  expect(hours(await sent(0)).toSorted((a, b) => a - b)).toEqual([4, 7, 12, 12, 15.25])
  for (const [passed, count] of [
    [4, 1],
    [12, 3],
  ] as const) {
    app.stopClock((now = noon + passed * hourMs))
    await sent(count)
  }
  await app.api.delete('/workspaces/acme/settings', { as, body: { key: 'time_zone' } })
})

test('hours follow the clocks of their zone, the night on which these change included', async () => {
  const before = now
  // Berlin puts its clocks forward on the last Sunday of March: the next one whose Saturday has not come yet.
  const year = new Date(now).getUTCFullYear() + 1
  const march = Date.UTC(year, 2, 31)
  const sunday = march - new Date(march).getUTCDay() * dayMs
  app.stopClock((now = sunday - 12 * hourMs))
  await app.api.post('/workspaces/acme/settings', { as, body: { key: 'time_zone', value: 'Europe/Berlin' } })
  const { sent } = await begin({ window: { from: '09:00', until: '10:00' } }, ['example.com'])
  expect(waits(await sent(0))).toEqual([sunday + 7 * hourMs])
  app.stopClock((now = sunday + 7 * hourMs))
  await sent(1)
  await app.api.delete('/workspaces/acme/settings', { as, body: { key: 'time_zone' } })
  app.stopClock((now = before))
})

test('who waits for a place while the campaign is paused gets it afterwards, and the cap holds', async () => {
  const { one, sent } = await begin({ daily_cap: 1 }, ['example.com', 'example.com', 'example.com'])
  await sent(1)
  await app.api.post(`${one}/pause`, { as })
  pass(3 * dayMs)
  await app.idle()
  await sent(1)
  await app.api.post(`${one}/resume`, { as })
  await sent(2)
  pass(dayMs)
  await sent(3)
})

test('letters that wait go out when their hours or their cap are taken away, and wait anew for new ones', async () => {
  const closed = { window: { from: '01:00', until: '02:00' } }
  const readers = Array.from({ length: 3 }, () => 'example.com')
  const { one, sent } = await begin(closed, readers)
  expect(waits(await sent(0))).toHaveLength(3)
  const change = (sending: Json) => app.api.patch(one, { as, body: { sending } })
  await change({ window: null, daily_cap: 1 })
  const days = waits(await sent(1)).map((due) => Math.ceil((due - now) / dayMs))
  expect(days.toSorted((before, after) => before - after)).toEqual([1, 2])
  await change({ daily_cap: 2 })
  await sent(2)
  await change({ daily_cap: null, per_domain_per_minute: 1 })
  await sent(3)
})

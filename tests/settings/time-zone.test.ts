import { afterEach, beforeEach, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { api } = app

async function inZone(value: string): Promise<void> {
  const { status } = await api.post('/workspaces/acme/settings', { body: { key: 'time_zone', value } })
  expect(status).toBe(201)
}

beforeEach(() => inZone('UTC'))
afterEach(() => inZone('UTC'))

/** Moves the clock on to the next time that it is an hour of the day, in UTC. */
const untilHour = (hour: number) => {
  const at = new Date(app.now())
  return app.advance((new Date(at).setUTCHours(hour, 0, 0, 0) + 24 * 3_600_000 - at.getTime()) % (24 * 3_600_000))
}

const dayIn = (timeZone: string) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(app.now())

const hoursAgo = (hours: number) => new Date(app.now() - hours * 3_600_000).toISOString()

const namesOf = ({ body }: Json): string[] => body.data.map(({ attributes }: Json) => attributes.name)

const dealsToday = async () => [
  namesOf(await api.get('/workspaces/acme/objects/deal/resources?filter[close_date][Within]=today')),
  namesOf(
    await api.post('/workspaces/acme/objects/deal/resources/query', {
      body: { filter: { not: { not: { field: 'close_date', op: 'within', value: 'today' } } } },
    }),
  ),
]

async function meetingsToday(): Promise<string[]> {
  const { body } = await api.get(
    '/workspaces/acme/objects/meeting/resources?filter[start][Within]=today&sortOrder[column]=start&sortOrder[dir]=ASC',
  )
  return body.data.map(({ attributes }: Json) => attributes.title)
}

/** A day behind UTC and a day ahead of it at one and the same instant. */
const [west, east] = ['Pacific/Pago_Pago', 'Pacific/Kiritimati']

test('filters by a period go by the days of the workspace', async () => {
  await untilHour(10)
  const zones = [west, 'UTC', east]
  expect(new Set(zones.map(dayIn)).size).toBe(3)
  for (const zone of zones)
    await api.post('/workspaces/acme/objects/deal/records', {
      body: { data: { type: 'deal', attributes: { name: zone, close_date: dayIn(zone) } } },
    })
  for (const zone of zones) {
    await inZone(zone)
    expect(await dealsToday()).toEqual([[zone], [zone]])
  }
})

test('times are of the day that they fall on in the workspace', async () => {
  await untilHour(10)
  for (const hours of [1, 12, 30])
    await api.post('/workspaces/acme/objects/meeting/records', {
      body: { data: { type: 'meeting', attributes: { title: `${hours} hours ago`, start: hoursAgo(hours) } } },
    })
  expect(await meetingsToday()).toEqual(['1 hours ago'])
  await inZone(west)
  expect(await meetingsToday()).toEqual(['12 hours ago', '1 hours ago'])
  await inZone(east)
  expect(await meetingsToday()).toEqual([])
})

test('a schedule without a time zone goes by that of the workspace, also by one that it gets later', async () => {
  const { until, endedRuns } = workflowsOf(app)
  await untilHour(1)
  const trigger = { plugin_id: 'on:general:time:heartbeat', input: { cron: '0 12 * * *' } }
  const { body } = await api.post('/workspaces/acme/workflows', { body: { name: 'Noon', enabled: true, trigger } })
  const begun = async () => (await endedRuns(body.data.id, 0)).length
  expect(await begun()).toBe(0)
  // Noon of Tokyo is at three, that of UTC nine hours later.
  await inZone('Asia/Tokyo')
  await app.advance(3 * 3_600_000)
  await until(async () => (await begun()) === 1)
  await app.advance(9 * 3_600_000)
  await app.idle()
  expect(await begun()).toBe(1)
})

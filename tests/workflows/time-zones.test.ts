import { afterEach, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { create, endedRuns, run, runIn, settled, path } = workflowsOf(app)

const byHand = { plugin_id: 'on:manual:execution' }
const dayMs = 24 * 3_600_000

const setZone = async (value: string): Promise<void> => {
  const { status } = await app.api.post('/workspaces/acme/settings', { body: { key: 'time_zone', value } })
  expect(status).toBe(201)
}

afterEach(() => setZone('UTC'))

const waiting = async (input: Json, plugin = 'general:delay:until'): Promise<Json> => {
  const { id } = await create({
    name: 'Waits',
    enabled: true,
    ...chain(byHand, { key: 'wait', plugin_id: plugin, input }),
  })
  const { body } = await app.api.post(`${path}/${id}/runs`, { body: {} })
  return runIn(body.data.id, 'waiting', 'success', 'failed')
}

/** The day after tomorrow, and its beginning in Kathmandu. */
const day = new Date(app.now() + 2 * dayMs).toISOString().slice(0, 10)
const itsMidnight = new Date(Date.parse(`${day}T00:00:00+05:45`)).toISOString()

test('a date alone is its first instant in the zone of the workspace, and what has begun to wait stays', async () => {
  await setZone('Asia/Kathmandu')
  const { id, attributes } = await waiting({ at: day })
  expect(attributes).toMatchObject({ status: 'waiting', resume_at: itsMidnight })
  await setZone('America/New_York')
  expect((await run(id)).attributes.resume_at).toBe(itsMidnight)
})

test('a date that has passed is no wait, and none that cannot be read is one', async () => {
  expect((await waiting({ at: '2020-01-01' })).attributes).toMatchObject({ status: 'success' })
  const data = { at: '{{trigger.state.event.data.none}}' }
  expect((await waiting(data)).attributes).toMatchObject({ status: 'failed', error: { code: 'invalid_input' } })
})

test('a date in a condition is that day in the zone of the workspace, of a trigger, a step and a branch', async () => {
  await setZone('Asia/Kathmandu')
  // A meeting that begins at 18:15 in UTC is of the next day there.
  const start = 'state.event.object.data.start'
  const filter = { field: start, condition: { operator: 'Is', value: '2031-03-02' } }
  const branches = [{ key: 'day', filter: { field: start, op: 'Is', value: '2031-03-02' }, next: null }]
  const { id } = await create({
    name: 'On the day',
    enabled: true,
    ...chain(
      { plugin_id: 'on:svc:create:record', input: { object: 'meeting' }, filters: [filter] },
      { key: 'ways', plugin_id: 'general:branch', input: { branches }, filters: [filter] },
    ),
  })
  for (const at of ['2031-03-01T18:14:59.000Z', '2031-03-01T18:15:00.000Z']) {
    const attributes = { title: at, start: at, end: '2031-03-05T00:00:00.000Z' }
    const body = { data: { type: 'meeting', attributes } }
    expect((await app.api.post('/workspaces/acme/objects/meeting/records', { body })).status).toBe(201)
  }
  await settled()
  const [only, ...others] = await endedRuns(id)
  expect(others).toEqual([])
  const { steps, trigger } = (await run(only!.id)).attributes
  expect(trigger.state.event.object.data.start).toBe('2031-03-01T18:15:00.000Z')
  expect(steps[0].output).toEqual({ branch: 'day' })
})

test('a year in a condition is the fiscal year of the workspace, of a trigger, a step and a branch', async () => {
  await app.api.post('/workspaces/acme/settings', { body: { key: 'fiscalYearOffset', value: 6 } })
  const now = new Date(app.now())
  const begin = Date.UTC(now.getUTCFullYear() - (now.getUTCMonth() < 6 ? 1 : 0), 6, 1)
  const start = 'state.event.object.data.start'
  const filter = { field: start, condition: { operator: 'Within', value: 'this_year' } }
  const branches = [{ key: 'year', filter: { field: start, op: 'Within', value: 'this_year' }, next: null }]
  const { id } = await create({
    name: 'In the fiscal year',
    enabled: true,
    ...chain(
      { plugin_id: 'on:svc:create:record', input: { object: 'meeting' }, filters: [filter] },
      { key: 'ways', plugin_id: 'general:branch', input: { branches }, filters: [filter] },
    ),
  })
  for (const at of [begin - 1000, begin]) {
    const attributes = { title: 'Review', start: new Date(at).toISOString() }
    const body = { data: { type: 'meeting', attributes } }
    expect((await app.api.post('/workspaces/acme/objects/meeting/records', { body })).status).toBe(201)
  }
  await settled()
  const runs = await endedRuns(id)
  const seen = await Promise.all(runs.map(async (one: Json) => (await run(one.id)).attributes))
  expect(seen.map(({ trigger, steps }) => [trigger.state.event.object.data.start, steps[0].output])).toEqual([
    [new Date(begin).toISOString(), { branch: 'year' }],
  ])
  await app.api.delete('/workspaces/acme/settings', { body: { key: 'fiscalYearOffset' } })
})

import { beforeEach, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey } from '../harness/people.ts'
import { pointersOf } from '../harness/records.ts'

const app = await startApp()
const { api } = app
const path = '/workspaces/acme/settings'

const change = (body: Json, as: 'admin' | 'member' | 'viewer' = 'admin') => api.post(path, { as, body })
const reset = (key: string, as: 'admin' | 'member' | 'viewer' = 'admin') => api.delete(path, { as, body: { key } })
const between = (previous_value: string, value: string) => ({
  type: 'setting.changed',
  object: 'workspace',
  payload: { key: 'time_zone', value, previous_value },
})
const defaults = {
  time_zone: 'UTC',
  chat_webhook_url: null,
  email_retention_days: 730,
  default_country: null,
  postal_address: null,
  orgDescription: null,
  closedWonDealStage: 'Won',
  closedLostDealStage: 'Lost',
  fiscalYearOffset: 0,
  meetingRecordingScope: 'none',
}
const current = async () => (await api.get(path, { as: 'viewer' })).body

beforeEach(async () => {
  await reset('time_zone')
  await app.events()
})

test('every setting has its default until an admin sets it, and has it again once it is reset', async () => {
  expect(await current()).toEqual(defaults)
  expect(await change({ key: 'time_zone', value: 'Europe/Berlin' })).toMatchObject({ status: 201, body: {} })
  expect(await current()).toEqual({ ...defaults, time_zone: 'Europe/Berlin' })
  expect(await api.get(`${path}/time_zone`)).toMatchObject({ status: 200, body: { value: 'Europe/Berlin' } })
  expect(await reset('time_zone')).toMatchObject({ status: 200, body: {} })
  expect(await current()).toEqual(defaults)
})

test('the stages of won and lost deals are options of deals', async () => {
  const { status, body } = await change({ key: 'closedWonDealStage', value: 'Gewonnen' })
  const detail = expect.stringMatching(/^Must be a stage of deals: .*Won/)
  expect([status, body.errors[0]]).toMatchObject([422, { source: { pointer: '/value' }, detail }])
  expect((await change({ key: 'closedLostDealStage', value: 'Won' })).status).toBe(201)
  await reset('closedLostDealStage')
  await app.events()
})

test('a change is told once, with the value before it; what changes nothing is not', async () => {
  await change({ key: 'time_zone', value: 'UTC' })
  await reset('time_zone')
  await reset('time_zone')
  expect(await app.events()).toEqual([])
  await change({ key: 'time_zone', value: 'Asia/Tokyo' })
  await change({ key: 'time_zone', value: 'Asia/Tokyo' })
  await reset('time_zone')
  const told = (await app.events()).map(({ type, object, payload }) => ({ type, object, payload }))
  expect(told).toEqual([between('UTC', 'Asia/Tokyo'), between('Asia/Tokyo', 'UTC')])
})

test('the settings of one workspace are not those of another', async () => {
  await change({ key: 'time_zone', value: 'Asia/Tokyo' })
  expect((await api.get('/workspaces/other/settings', { as: 'stranger' })).body).toEqual(defaults)
})

test.for([
  [{ key: 'time_zone', value: 'Mars/Olympus' }, '/value'],
  [{ key: 'time_zone', value: '+02:00' }, '/value'],
  [{ key: 'time_zone', value: '' }, '/value'],
  [{ key: 'time_zone', value: 3 }, '/value'],
  [{ key: 'time_zone', value: null }, '/value'],
  [{ key: 'email_retention_days', value: 30 }, '/value'],
  [{ key: 'email_retention_days', value: null }, '/value'],
  [{ key: 'default_country', value: 'Germany' }, '/value'],
  [{ key: 'fiscalYearOffset', value: 12 }, '/value'],
  [{ key: 'meetingRecordingScope', value: 'some' }, '/value'],
  [{ key: 'colour', value: 'UTC' }, '/key'],
] as [Json, string][])('%j is refused at %s', async ([body, pointer]) => {
  const answer = await change(body)
  expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]])
  expect(await current()).toEqual(defaults)
})

test('a setting that there is not answers with those that there are', async () => {
  const { status, body } = await api.get(`${path}/constructor`)
  expect([status, body.errors[0].meta]).toEqual([404, { allowed: Object.keys(defaults) }])
  const removed = await reset('toString')
  expect([removed.status, pointersOf(removed)]).toEqual([422, ['/key']])
})

test('members and viewers read settings; only admins change them, and only with the scope', async () => {
  for (const as of ['member', 'viewer'] as const) {
    expect((await change({ key: 'time_zone', value: 'Asia/Tokyo' }, as)).status).toBe(403)
    expect((await reset('time_zone', as)).status).toBe(403)
  }
  const { key } = await createKey(api.post, 'admin', { scopes: ['settings:read'] })
  const as = { authorization: `api-key ${key}` }
  expect((await api.get(path, { as })).status).toBe(200)
  const refused = await api.post(path, { as, body: { key: 'time_zone', value: 'Asia/Tokyo' } })
  expect([refused.status, refused.body.errors[0].meta.required]).toEqual([403, 'settings:write'])
  expect(await current()).toEqual(defaults)
})

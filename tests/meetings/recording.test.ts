import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, unknownId } from '../harness/records.ts'
import type { Caller } from '../harness/people.ts'

const app = await startApp()
const [meeting] = await recordsOf(app, 'member').createMany('meeting', [{ title: 'Kick-off' }])
const path = `/workspaces/acme/meetings/${meeting.id}/recording`

const turnOn = (as: Caller, at = path) => app.api.post(at, { as })
const turnOff = (as: Caller, at = path) => app.api.delete(at, { as })

test('the switch answers with the meeting, turned on or off', async () => {
  await app.events()
  const on = await turnOn('member')
  expect([on.status, on.body.data.type, on.body.data.id]).toEqual([200, 'meeting', meeting.id])
  expect(on.body.data.attributes).toMatchObject({ title: 'Kick-off', recording_enabled: true })
  expect(on.headers['etag']).toBeDefined()
  expect(await app.events()).toMatchObject([
    { type: 'record.updated', object: 'meeting', record_id: meeting.id, silent: false },
  ])
  // Turned on already: nothing changes, and nothing is told.
  const again = await turnOn('member')
  expect([again.status, again.body]).toEqual([200, on.body])
  expect(await app.events()).toEqual([])
  const off = await app.api.delete(path, { as: 'member', query: { silent: true } })
  expect([off.status, off.body.data.attributes.recording_enabled]).toEqual([200, false])
  expect(await app.events()).toMatchObject([{ type: 'record.updated', silent: true }])
  const { body } = await recordsOf(app, 'member').get('meeting', meeting.id)
  expect(body.data).toEqual(off.body.data)
})

test('a version that is no longer the current one is refused', async () => {
  const { status, body } = await app.api.delete(path, { as: 'member', headers: { 'If-Match': '"1"' } })
  expect([status, body.errors[0].code]).toEqual([412, 'version_mismatch'])
})

test('a meeting that is hidden is missing, and one that may only be seen is not switched', async () => {
  const colleague = await app.addMember('member', 'colleague')
  for (const at of [path, path.replace(meeting.id, unknownId), path.replace(meeting.id, 'nothing')])
    for (const { status, body } of [await turnOn(colleague.as, at), await turnOff(colleague.as, at)])
      expect([status, body.errors[0].code]).toEqual([404, 'not_found'])
  await share(app.api.post, `meeting/records/${meeting.id}`, colleague.id, 'view', 'member')
  for (const { status, body } of [await turnOn(colleague.as), await turnOff(colleague.as)])
    expect([status, body.errors[0].code]).toEqual([403, 'forbidden'])
  expect((await turnOn('stranger')).status).toBe(404)
})

test('a meeting whose switch was never touched is off, for who reads it, filters and sorts', async () => {
  const own = recordsOf(app, 'member')
  const made = await own.createMany('meeting', [{ title: 'Never' }, { title: 'On', recording_enabled: true }])
  const [never, on] = made.map(({ id }) => id)
  expect(made.map(({ attributes }) => attributes.recording_enabled)).toEqual([false, true])
  expect((await own.get('meeting', never)).body.data.attributes.recording_enabled).toBe(false)
  const found = async (query: Record<string, string>): Promise<string[]> => {
    const { body } = await app.api.get('/workspaces/acme/objects/meeting/resources', { as: 'member', query })
    return body.data.map(({ id }: { id: string }) => id)
  }
  expect(await found({ 'filter[recording_enabled]': 'false' })).toContain(never)
  expect(await found({ 'filter[recording_enabled][Is not]': 'true' })).toContain(never)
  expect(await found({ 'filter[recording_enabled]': 'true' })).toEqual([on])
  expect(await found({ 'filter[recording_enabled][Is not set]': '' })).toEqual([])
  const sorted = await found({ 'sortOrder[column]': 'recording_enabled', 'sortOrder[dir]': 'DESC' })
  expect([sorted[0], sorted.includes(never)]).toEqual([on, true])
  const cleared = await own.patch('meeting', on, { recording_enabled: null })
  expect([cleared.status, cleared.body.errors[0].source.pointer]).toEqual([422, '/data/attributes/recording_enabled'])
})

test('what is wanted of the notetaker is kept and shown, though there is none', async () => {
  await app.startJobs()
  const own = recordsOf(app, 'member')
  const { id } = await own.create('meeting', { title: 'Wanted', start: '2026-01-31T09:30:00.000Z' })
  const at = `/workspaces/acme/meetings/${id}`
  const shown = async (): Promise<unknown[]> => {
    await app.quiet()
    const { body } = await app.api.get(`${at}/recordings`, { as: 'member' })
    return body.data.map(({ attributes }: Json) => [attributes.recording_source, attributes.status, attributes.detail])
  }
  const [requested, cancelled] = ['Requested', 'Cancelled'].map((status) => ['notetaker', status, null])
  expect(await shown()).toEqual([])
  await turnOn('member', `${at}/recording`)
  expect(await shown()).toEqual([requested])
  // Neither another time nor the same wish makes a second one.
  await own.patch('meeting', id, { start: '2026-01-31T10:00:00.000Z' })
  await turnOn('member', `${at}/recording`)
  expect(await shown()).toEqual([requested])
  await turnOff('member', `${at}/recording`)
  expect(await shown()).toEqual([cancelled])
  await own.patch('meeting', id, { recording_enabled: true })
  expect(await shown()).toEqual([cancelled, requested])
  await own.remove('meeting', [id])
  await app.quiet()
  await own.restore('meeting', [id])
  expect(await shown()).toEqual([cancelled, cancelled, requested])
})

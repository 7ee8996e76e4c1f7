import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { share } from '../harness/grants.ts'
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

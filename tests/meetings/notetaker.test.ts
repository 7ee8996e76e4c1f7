import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { receiver, status, verify } from '../harness/receiver.ts'
import { recordsOf } from '../harness/records.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const hooks = await receiver()
const app = await startApp({ notetaker: { url: hooks.url, secret }, webhookAllowedHosts: [] })
await app.startJobs()
const records = recordsOf(app, 'member')
const start = '2026-01-31T09:30:00.000Z'
const end = '2026-01-31T10:00:00.000Z'
const participants = { items: [{ email: 'member@example.com' }] }

async function begin(attributes: Json = {}) {
  const { id } = await records.create('meeting', { title: 'Kick-off', start, end, participants, ...attributes })
  const base = `/workspaces/acme/meetings/${id}`
  return {
    id,
    switchOn: () => app.api.post(`${base}/recording`, { as: 'member' }),
    switchOff: () => app.api.delete(`${base}/recording`, { as: 'member' }),
    /** The list of recordings: source, status and reason of each. */
    async recordings(): Promise<Json[]> {
      await app.quiet()
      const { body } = await app.api.get(`${base}/recordings`, { as: 'member' })
      return body.data.map(({ attributes: { recording_source, status: shown, detail } }: Json) =>
        detail === null ? [recording_source, shown] : [recording_source, shown, detail],
      )
    },
    transcribe: (recordingId: string) =>
      app.api.post(`${base}/recordings/transcript`, {
        as: 'member',
        body: { recordingId, transcript: [{ speaker: 'Ada', words: [{ text: 'Hello' }] }] },
      }),
  }
}

test('the notetaker is told by a signed request, and what it brings ends its recording', async () => {
  const meeting = await begin()
  expect(await meeting.recordings()).toEqual([])
  await meeting.switchOn()
  const told = await hooks.next()
  verify(told, secret)
  const { recording_id } = told.body.data
  expect(told.body).toEqual({
    type: 'recording.start',
    data: {
      workspace: 'acme',
      meeting_id: meeting.id,
      recording_id,
      meeting: { title: 'Kick-off', start, end, participants, event_id: null },
      answers: {
        transcript: `${app.baseUrl}/workspaces/acme/meetings/${meeting.id}/recordings/transcript`,
        media: `${app.baseUrl}/workspaces/acme/meetings/${meeting.id}/recordings/media`,
      },
    },
  })
  expect(await meeting.recordings()).toEqual([['notetaker', 'Scheduled']])
  const said = await meeting.transcribe(recording_id)
  expect([said.status, said.body.data.id]).toEqual([201, recording_id])
  expect(await meeting.recordings()).toEqual([['notetaker', 'Done']])
  // It is told not to stay either, and what was said stays.
  await meeting.switchOff()
  expect((await hooks.next()).body).toEqual({
    type: 'recording.stop',
    data: { workspace: 'acme', meeting_id: meeting.id, recording_id, answers: expect.anything() },
  })
  expect(await meeting.recordings()).toEqual([['notetaker', 'Done']])
  await meeting.switchOn()
  expect((await hooks.next()).body.data.recording_id).not.toBe(recording_id)
  expect(await meeting.recordings()).toEqual([
    ['notetaker', 'Done'],
    ['notetaker', 'Scheduled'],
  ])
})

test('whatever switches it tells the notetaker, of other times too, and of nothing else', async () => {
  const meeting = await begin({ recording_enabled: true })
  const first = await hooks.next()
  expect([first.body.type, first.body.data.meeting_id]).toEqual(['recording.start', meeting.id])
  await app.quiet()
  await records.patch('meeting', meeting.id, { title: 'Another title' })
  await app.quiet()
  await records.patch('meeting', meeting.id, { start: '2026-01-31T09:45:00.000Z' })
  const moved = await hooks.next()
  expect(moved.body.data).toMatchObject({
    recording_id: first.body.data.recording_id,
    meeting: { title: 'Another title', start: '2026-01-31T09:45:00.000Z' },
  })
  expect(moved.headers['webhook-id']).not.toBe(first.headers['webhook-id'])
  await app.quiet()
  await records.remove('meeting', [meeting.id])
  const stopped = await hooks.next()
  expect([stopped.body.type, stopped.body.data.recording_id]).toEqual(['recording.stop', first.body.data.recording_id])
  const never = await begin()
  await records.patch('meeting', never.id, { start: null })
  await app.quiet()
  expect(hooks.got.map(({ body }) => body.data.meeting_id)).not.toContain(never.id)
})

test('a notetaker that does not answer is asked again with the same id, and the recording says why', async () => {
  const meeting = await begin()
  hooks.answer(status(503), status(429, { 'retry-after': '60' }))
  await meeting.switchOn()
  const first = await hooks.next()
  expect(await meeting.recordings()).toEqual([['notetaker', 'Requested', 'The notetaker responded with status 503.']])
  await app.advance(5000)
  const second = await hooks.next()
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
  expect(await meeting.recordings()).toEqual([['notetaker', 'Requested', 'The notetaker responded with status 429.']])
  await app.advance(60_000)
  verify({ ...(await hooks.next()) }, secret)
  expect(await meeting.recordings()).toEqual([['notetaker', 'Scheduled']])
  await meeting.switchOff()
  await hooks.next()
  expect(await meeting.recordings()).toEqual([['notetaker', 'Cancelled']])
})

test('a notetaker that refuses is not asked again; switched off and on it is', async () => {
  const meeting = await begin()
  hooks.answer(status(422))
  await meeting.switchOn()
  const refused = await hooks.next()
  const failed = ['notetaker', 'Failed', 'The notetaker responded with status 422.']
  expect(await meeting.recordings()).toEqual([failed])
  await meeting.switchOff()
  expect((await hooks.next()).body.type).toBe('recording.stop')
  await app.quiet()
  await meeting.switchOn()
  expect((await hooks.next()).body.data.recording_id).not.toBe(refused.body.data.recording_id)
  expect((await meeting.recordings()).at(-1)).toEqual(['notetaker', 'Scheduled'])
})

import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, unknownId } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app, 'member')
const start = '2026-01-31T09:30:00.000Z'
const [meeting, other, timeless] = await records.createMany('meeting', [
  { title: 'Kick-off', start },
  { title: 'Another', start },
  { title: 'Some time' },
])
const base = (id: string) => `/workspaces/acme/meetings/${id}`
const add = (id: string, body: Json, as = 'member' as const) => app.api.post(`${base(id)}/transcript`, { as, body })
const upload = (id: string, body: Json) => app.api.post(`${base(id)}/recordings/transcript`, { as: 'member', body })
const transcriptOf = async (id: string, recording: string) =>
  (await app.api.get(`${base(id)}/recordings/${recording}/transcript`, { as: 'member' })).body.data?.attributes
    .transcript
const recordingsOf = async (id: string, query = {}) =>
  (await app.api.get(`${base(id)}/recordings`, { as: 'member', query })).body

const spoken = [
  {
    speaker: 'Grace Hopper',
    speaker_id: '1',
    language: 'en',
    words: [
      { text: 'Good', start_timestamp: 0.4, end_timestamp: 0.6, language: 'en', confidence: 0.9 },
      { text: 'morning', start_timestamp: 0.6, end_timestamp: 61.25, language: null, confidence: null },
    ],
  },
]

test('a transcript is a recording of its own, by either path', async () => {
  await app.events()
  for (const send of [add, upload]) {
    const { status, body } = await send(meeting.id, { transcript: spoken })
    expect([status, Object.keys(body)]).toEqual([201, ['data']])
    const { type, id, attributes } = body.data
    expect([type, attributes._id]).toEqual(['meeting_recording', id])
    expect(attributes).toMatchObject({
      meeting_id: meeting.id,
      recording_source: 'manual_upload',
      status: 'Done',
      start_at: start,
      end_at: '2026-01-31T09:31:01.250Z',
      _created_by: app.userIds.member,
    })
    expect(await transcriptOf(meeting.id, id)).toEqual(spoken)
    expect(await app.events()).toMatchObject([
      { type: 'meeting.transcribed', object: 'meeting', record_id: meeting.id, payload: { recording_id: id } },
    ])
  }
})

test('what is missing is null, and what the contract does not name is left out', async () => {
  const { status, body } = await add(timeless.id, {
    transcript: [
      { words: [{ text: 'Hm', pitch: 3 }], room: 5 },
      { speaker: 'Ada', words: null },
    ],
  })
  expect([status, body.data.attributes.start_at, body.data.attributes.end_at]).toEqual([201, null, null])
  const unsaid = { start_timestamp: null, end_timestamp: null, language: null, confidence: null }
  expect(await transcriptOf(timeless.id, body.data.id)).toEqual([
    { speaker: null, speaker_id: null, language: null, words: [{ text: 'Hm', ...unsaid }] },
    { speaker: 'Ada', speaker_id: null, language: null, words: [] },
  ])
})

test('the transcript of a recording is replaced, and the same one again changes nothing', async () => {
  const { data } = (await upload(meeting.id, { transcript: spoken })).body
  await app.events()
  const again = await upload(meeting.id, { transcript: spoken, recordingId: data.id })
  expect([again.status, again.body.data]).toEqual([201, data])
  expect(await app.events()).toEqual([])
  const shorter = [{ ...spoken[0], words: [spoken[0]?.words[0]] }]
  const replaced = await upload(meeting.id, { transcript: shorter, recordingId: data.id })
  expect([replaced.status, replaced.body.data.id]).toEqual([201, data.id])
  expect(replaced.body.data.attributes).toMatchObject({
    end_at: '2026-01-31T09:30:00.600Z',
    _created_at: data.attributes._created_at,
  })
  expect(await transcriptOf(meeting.id, data.id)).toEqual(shorter)
  expect(await app.events()).toHaveLength(1)
})

test('the recordings of a meeting come in pages, oldest first unless sorted', async () => {
  const all = await recordingsOf(meeting.id)
  expect(all.meta).toMatchObject({ total_records: 3, total_pages: 1, offset: 0, limit: 50 })
  const ids = all.data.map(({ id }: Json) => id)
  const sorted = await recordingsOf(meeting.id, { 'sortOrder[column]': '_created_at', 'sortOrder[dir]': 'DESC' })
  expect(sorted.data.map(({ id }: Json) => id)).toEqual(ids.toReversed())
  const second = await recordingsOf(meeting.id, { 'page[offset]': 1, 'page[limit]': 1 })
  expect([second.data.map(({ id }: Json) => id), second.links.next !== null]).toEqual([[ids[1]], true])
  expect((await recordingsOf(other.id)).data).toEqual([])
})

const words = (count: number): Json => ({ words: Array.from({ length: count }, () => ({ text: 'a' })) })

test('faults are named: no transcript, no words, too many words, a recording of another meeting', async () => {
  const { data } = (await add(meeting.id, { transcript: spoken })).body
  const faults = await Promise.all(
    [
      {},
      { transcript: [] },
      { transcript: 'Good morning' },
      { transcript: [{ words: [{}] }] },
      { transcript: [{ words: [{ text: 'Hm', start_timestamp: '0:04' }] }] },
      { transcript: [{ words: [{ text: 'Hm', start_timestamp: -1 }] }] },
      { transcript: spoken, recordingId: unknownId },
      { transcript: spoken, recordingId: 'nothing' },
      { transcript: spoken, extra: 1 },
      { transcript: Array.from({ length: 5 }, () => words(20_001)) },
    ].map((body) => upload(meeting.id, body)),
  )
  expect(faults.map(({ status, body }) => [status, body.errors[0].source.pointer])).toEqual([
    [422, '/transcript'],
    [422, '/transcript'],
    [422, '/transcript'],
    [422, '/transcript/0/words/0/text'],
    [422, '/transcript/0/words/0/start_timestamp'],
    [422, '/transcript/0/words/0/start_timestamp'],
    [422, '/recordingId'],
    [422, '/recordingId'],
    [422, '/extra'],
    [422, '/transcript'],
  ])
  expect((await upload(other.id, { transcript: spoken, recordingId: data.id })).status).toBe(422)
  expect(await transcriptOf(other.id, data.id)).toBeUndefined()
})

test('what was said is seen with the meeting, and added by those who may change it', async () => {
  const colleague = await app.addMember('member', 'colleague')
  const { data } = (await add(meeting.id, { transcript: spoken })).body
  const read = () => app.api.get(`${base(meeting.id)}/recordings/${data.id}/transcript`, { as: colleague.as })
  const write = () => app.api.post(`${base(meeting.id)}/transcript`, { as: colleague.as, body: { transcript: spoken } })
  expect([(await read()).status, (await write()).status]).toEqual([404, 404])
  await share(app.api.post, `meeting/records/${meeting.id}`, colleague.id, 'view', 'member')
  expect([(await read()).status, (await write()).status]).toEqual([200, 403])
  expect((await app.api.get(`${base(meeting.id)}/recordings`, { as: colleague.as })).status).toBe(200)
})

test('recordings go with their meeting: into another, out of sight, and back', async () => {
  const [target, source] = await records.createMany('meeting', [{ title: 'Target' }, { title: 'Source' }])
  const { data } = (await add(source.id, { transcript: spoken })).body
  expect((await records.merge('meeting', target.id, [source.id])).status).toBe(204)
  expect((await recordingsOf(target.id)).data.map(({ id }: Json) => id)).toEqual([data.id])
  await records.remove('meeting', [target.id])
  expect(await transcriptOf(target.id, data.id)).toBeUndefined()
  expect((await records.restore('meeting', [target.id])).status).toBe(200)
  expect(await transcriptOf(target.id, data.id)).toEqual(spoken)
  await records.remove('meeting', [target.id])
  await app.advance(31 * 24 * 3_600_000)
  await app.purge()
  expect(await app.remains(target.id)).toEqual({})
})

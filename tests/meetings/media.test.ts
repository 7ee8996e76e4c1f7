import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { formOf } from '../harness/attachments.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { scratchFolder } from '../harness/scratch.ts'

const folder = await scratchFolder()
const bytesMax = 100_000
const app = await startApp({ files: { folder, bytesMax } })
const meeting = await recordsOf(app, 'member').create('meeting', {
  title: 'Kick-off',
  start: '2026-01-31T09:30:00.000Z',
})
const base = `/workspaces/acme/meetings/${meeting.id}/recordings`
const post = (path: string, body?: Json) => app.api.post(`${base}${path}`, { as: 'member', body })
const send = ({ url, fields }: Json, file: string | Buffer) =>
  app.http.send({ method: 'POST', url, ...formOf(fields, file) })
const transcript = [{ speaker: 'Ada Lovelace', words: [{ text: 'Hello', start_timestamp: 1, end_timestamp: 2 }] }]
const mp4 = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypmp42'), Buffer.alloc(2000)])

test('a film is uploaded by a form, added to its recording, and given with its transcript', async () => {
  const begun = await post('/media', { contentType: 'video/mp4', transcript })
  expect(begun.status).toBe(201)
  const { recordingId, meetingId, key, upload } = begun.body.data
  expect([meetingId, Object.keys(begun.body.data)]).toEqual([meeting.id, ['recordingId', 'meetingId', 'key', 'upload']])
  expect(upload.fields).toEqual({ key, 'Content-Type': 'video/mp4' })
  expect((await app.api.get(base, { as: 'member' })).body.data).toMatchObject([
    { id: recordingId, attributes: { status: 'Uploading', end_at: '2026-01-31T09:30:02.000Z' } },
  ])
  const early = await post(`/media/${recordingId}`)
  expect([early.status, early.body.errors[0].code]).toEqual([422, 'invalid_body'])
  expect((await send(upload, mp4)).status).toBe(204)
  await app.events()
  const added = await post(`/media/${recordingId}`)
  expect([added.status, added.body.data.attributes.status]).toEqual([200, 'Done'])
  expect(await app.events()).toMatchObject([{ type: 'meeting.recorded', payload: { recording_id: recordingId } }])
  expect((await post(`/media/${recordingId}`)).body).toEqual(added.body)
  expect(await app.events()).toEqual([])
  const artifacts = await post(`/${recordingId}/artifacts`)
  expect(artifacts.status).toBe(201)
  const { videoUrl, transcriptionUrl } = artifacts.body.data
  const film = await app.http.send({ method: 'GET', url: videoUrl, headers: { Range: 'bytes=4-7' } })
  expect([film.status, film.body, film.headers['content-type']]).toEqual([206, 'ftyp', 'video/mp4'])
  const said = await app.http.send({ method: 'GET', url: transcriptionUrl })
  expect(said.body).toMatchObject({ transcript: [{ speaker: 'Ada Lovelace', words: [{ text: 'Hello' }] }] })
  expect((await send(upload, mp4)).status).toBe(409)
})

test('a recording without media or words has no URLs; other media replace what was there', async () => {
  const { recordingId, upload } = (await post('/media', { contentType: 'audio/mpeg' })).body.data
  expect((await post(`/${recordingId}/artifacts`)).body.data).toEqual({ videoUrl: null, transcriptionUrl: null })
  await send(upload, 'a sound')
  await post(`/media/${recordingId}`)
  const again = (await post('/media', { contentType: 'audio/mpeg', recordingId })).body.data
  expect(again.recordingId).toBe(recordingId)
  await send(again.upload, 'another sound')
  await post(`/media/${recordingId}`)
  const { videoUrl } = (await post(`/${recordingId}/artifacts`)).body.data
  expect((await app.http.send({ method: 'GET', url: videoUrl })).body).toBe('another sound')
})

test('an upload that is asked for while another one is added takes nothing of that one', async () => {
  for (let round = 0; round < 8; round++) {
    const { recordingId, upload } = (await post('/media', { contentType: 'audio/mpeg' })).body.data
    await send(upload, `sound ${round}`)
    const [added] = await Promise.all([
      post(`/media/${recordingId}`),
      post('/media', { contentType: 'audio/mpeg', recordingId }),
    ])
    expect([200, 422]).toContain(added.status)
    const { videoUrl } = (await post(`/${recordingId}/artifacts`)).body.data
    const film = videoUrl && (await app.http.send({ method: 'GET', url: videoUrl }))
    expect(videoUrl === null ? 422 : film.body).toBe(added.status === 200 ? `sound ${round}` : 422)
  }
})

test('an upload that never comes is waited for no longer than it may be taken over', async () => {
  const at = await recordsOf(app, 'member').create('meeting', { title: 'Nothing comes' })
  const of = `/workspaces/acme/meetings/${at.id}/recordings`
  const ask = (body: Json) => app.api.post(`${of}/media`, { as: 'member', body })
  const made = [await ask({ contentType: 'audio/mpeg' }), await ask({ contentType: 'audio/mpeg', transcript })]
  const ids = made.map(({ body }) => body.data.recordingId)
  const statuses = async () => {
    const { data } = (await app.api.get(of, { as: 'member' })).body
    return ids.map((id) => data.find((one: Json) => one.id === id).attributes.status)
  }
  expect(await statuses()).toEqual(['Uploading', 'Uploading'])
  await app.advance(24 * 3_600_000)
  expect(await statuses()).toEqual(['Failed', 'Done'])
})

test('forms that are cut off, too large or none at all leave nothing', async () => {
  const { upload, recordingId } = (await post('/media', { contentType: 'video/mp4' })).body.data
  const id = new URL(upload.url).pathname.split('/').at(-1) ?? ''
  const stored = async () => (await readdir(folder, { recursive: true })).filter((path) => path.includes(id))
  const form = formOf(upload.fields, Buffer.alloc(50_000))
  const cut = request(upload.url, { method: 'POST', headers: { ...form.headers, 'Content-Length': form.body.length } })
  cut.on('error', () => undefined)
  cut.write(form.body.subarray(0, 30_000))
  await expect.poll(stored).not.toEqual([])
  cut.destroy()
  await expect.poll(stored).toEqual([])
  expect((await send(upload, Buffer.alloc(bytesMax + 1))).status).toBe(413)
  // It ends before its last boundary.
  const half = await app.http.send({ method: 'POST', url: upload.url, ...form, body: form.body.subarray(0, 20_000) })
  expect([half.status, half.body.errors[0].code]).toEqual([422, 'invalid_body'])
  const plain = await app.http.send({
    method: 'POST',
    url: upload.url,
    body: 'x',
    headers: { 'Content-Type': 'video/mp4' },
  })
  expect(plain.status).toBe(415)
  const empty = await app.http.send({
    method: 'POST',
    url: upload.url,
    ...form,
    body: '------kontor-boundary\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n------kontor-boundary--\r\n',
  })
  expect(empty.status).toBe(422)
  const chunked = request(upload.url, { method: 'POST', headers: form.headers })
  const { body } = formOf(upload.fields, Buffer.alloc(bytesMax + 1))
  chunked.write(body.subarray(0, 70_000))
  chunked.end(body.subarray(70_000))
  const [response] = await once(chunked, 'response')
  response.resume()
  expect(response.statusCode).toBe(413)
  expect(await stored()).toEqual([])
  expect((await post(`/media/${recordingId}`)).status).toBe(422)
})

test('other types, other meetings and other recordings are refused', async () => {
  expect((await post('/media', { contentType: 'text/html' })).status).toBe(422)
  expect((await post('/media', { contentType: 'video/mp4', recordingId: 'nothing' })).status).toBe(422)
  expect((await post('/media/nothing')).status).toBe(404)
  expect((await post('/nothing/artifacts')).status).toBe(404)
  const colleague = await app.addMember('member', 'outsider')
  const hidden = await app.api.post(`${base}/media`, { as: colleague.as, body: { contentType: 'video/mp4' } })
  expect(hidden.status).toBe(404)
})

test('recordings are purged with their meeting', async () => {
  await app.api.delete(`/workspaces/acme/objects/meeting/records/${meeting.id}`, { as: 'member' })
  await app.advance(31 * 86_400_000)
  await app.purge()
  expect(await app.remains(meeting.id)).toEqual({})
  await app.startJobs()
  await expect
    .poll(() => readdir(folder, { recursive: true }).then((all) => all.filter((one) => one.endsWith('file'))), {
      timeout: 30_000,
    })
    .toEqual([])
})

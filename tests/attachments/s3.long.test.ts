import { createServer } from 'node:http'
import S3rver from 's3rver'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { attachmentsOf, formOf } from '../harness/attachments.ts'
import { recordsOf } from '../harness/records.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { until } from '../harness/until.ts'

const bytesMax = 100_000
const directory = await scratchFolder()
const bucketAt = (port: number): S3rver =>
  new S3rver({
    address: '127.0.0.1',
    port,
    silent: true,
    directory,
    configureBuckets: [{ name: 'kontor', configs: [] }],
  })
const server = bucketAt(0)
const { port } = await server.run()

const app = await startApp({
  files: {
    folder: await scratchFolder(),
    bytesMax,
    s3: {
      bucket: 'kontor',
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${port}`,
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    },
  },
})
const files = attachmentsOf(app)
const records = recordsOf(app, 'member')
const get = (url: string) => app.http.send({ method: 'GET', url })

test('a bucket takes and gives attachments by signed URLs, and keeps what was attached', async () => {
  const person = await records.create('person', {})
  const upload = await files.begin('person', person.id, 'Zoë.pdf')
  expect(upload.signedUrl).toContain(`:${port}/kontor/uploads/`)
  expect((await files.finish('person', person.id, upload, 'Zoë.pdf')).status).toBe(422)
  expect((await files.send(upload.signedUrl, '%PDF-1.7 an offer')).status).toBe(200)
  expect((await files.finish('person', person.id, upload, 'Zoë.pdf')).status).toBe(201)
  // Its URL is still good at the bucket, and changes nothing any more.
  await files.send(upload.signedUrl, 'another')
  expect((await files.finish('person', person.id, upload, 'Zoë.pdf')).status).toBe(201)
  expect((await files.list('person', person.id)).body.data).toMatchObject([
    { mime_type: 'application/pdf', size_bytes: 17 },
  ])
  const given = await get(await files.urlOf('person', person.id, upload.attachmentId))
  expect([given.status, given.body, given.headers['content-type']]).toEqual([
    200,
    '%PDF-1.7 an offer',
    'application/pdf',
  ])
  expect(given.headers['content-disposition']).toContain("filename*=UTF-8''Zo%C3%AB.pdf")
  const page = await files.attach('person', person.id, 'page.html', '<html></html>')
  const saved = await get(await files.urlOf('person', person.id, page))
  expect(saved.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': expect.stringMatching(/^attachment/),
  })
  const empty = await files.attach('person', person.id, 'empty', '')
  expect((await get(await files.urlOf('person', person.id, empty))).status).toBe(200)
})

test('headers of the uploader are not kept: the bucket repeats none of them', async () => {
  const person = await records.create('person', {})
  const upload = await files.begin('person', person.id, 'a.txt')
  const own = {
    'Content-Type': 'text/html',
    'Cache-Control': 'public',
    'Content-Disposition': 'inline; filename="a.html"',
  }
  expect((await files.send(upload.signedUrl, '<script>1</script>', own)).status).toBe(200)
  expect((await files.finish('person', person.id, upload, 'a.html')).status).toBe(201)
  const given = await get(await files.urlOf('person', person.id, upload.attachmentId))
  expect(given.headers['cache-control']).toBeUndefined()
  expect(given.headers['content-type']).toBe('application/octet-stream')
})

test('a name leads to no other key: the keys are ids', async () => {
  const person = await records.create('person', {})
  const upload = await files.begin('person', person.id, '../../files/b')
  expect(new URL(upload.signedUrl).pathname).toBe(
    `/kontor/uploads/${await app.workspaceId('acme')}/${upload.attachmentId}`,
  )
})

test('what is too large for a file is not attached', async () => {
  const person = await records.create('person', {})
  const upload = await files.begin('person', person.id, 'large')
  await files.send(upload.signedUrl, Buffer.alloc(bytesMax + 1))
  const { status, body } = await files.finish('person', person.id, upload, 'large')
  expect([status, body.errors[0].meta]).toEqual([413, { limit_bytes: bytesMax }])
})

test('a film goes to the bucket by its form', async () => {
  const meeting = await records.create('meeting', { title: 'Kick-off' })
  const base = `/workspaces/acme/meetings/${meeting.id}/recordings`
  const begun = await app.api.post(`${base}/media`, { as: 'member', body: { contentType: 'video/mp4' } })
  const { recordingId, upload } = begun.body.data
  const sent = await app.http.send({ method: 'POST', url: upload.url, ...formOf(upload.fields, 'a film') })
  expect(sent.status).toBe(204)
  expect((await app.api.post(`${base}/media/${recordingId}`, { as: 'member' })).body.data.attributes.status).toBe(
    'Done',
  )
  const { videoUrl } = (await app.api.post(`${base}/${recordingId}/artifacts`, { as: 'member' })).body.data
  expect((await get(videoUrl)).body).toBe('a film')
})

test('what was deleted is removed from the bucket', async () => {
  const person = await records.create('person', {})
  const id = await files.attach('person', person.id, 'a.txt', 'a')
  const url = await files.urlOf('person', person.id, id)
  await files.remove('person', person.id, id)
  // Not before the URL of its upload has expired, which could bring its bytes again.
  await app.advance(3_600_000)
  await app.startJobs()
  await expect.poll(async () => (await get(url)).status, { timeout: 20_000 }).toBe(404)
})

test('a bucket that is away is told as such', async () => {
  const person = await records.create('person', {})
  const upload = await files.begin('person', person.id, 'a.txt')
  await server.close()
  const { status, headers, body } = await files.finish('person', person.id, upload, 'a.txt')
  expect([status, body.errors[0].code, headers['retry-after']]).toEqual([503, 'unavailable', '5'])
})

test('what was deleted while the bucket is away is removed when it is back', async () => {
  let refused = 0
  const away = createServer((_request, response) => {
    refused++
    response.writeHead(503).end()
  })
  // The bucket was closed by the test before.
  const bucket = bucketAt(port)
  await bucket.run()
  const person = await records.create('person', {})
  const id = await files.attach('person', person.id, 'a.txt', 'a')
  const url = await files.urlOf('person', person.id, id)
  await bucket.close()
  await new Promise<void>((resolve) => away.listen(port, '127.0.0.1', resolve))
  await files.remove('person', person.id, id)
  await app.advance(3_600_000)
  await app.startJobs()
  await until(() => refused > 0)
  away.closeAllConnections()
  await new Promise((resolve) => away.close(resolve))
  const back = bucketAt(port)
  await back.run()
  await until(async () => (await get(url)).status === 404)
  await back.close()
})

import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { attachmentsOf } from '../harness/attachments.ts'
import { recordsOf } from '../harness/records.ts'
import { scratchFolder } from '../harness/scratch.ts'

const folder = await scratchFolder()
const bytesMax = 100_000
const app = await startApp({ files: { folder, bytesMax } })
const files = attachmentsOf(app)
const person = await recordsOf(app, 'member').create('person', {})
const begin = (name = 'a.txt') => files.begin('person', person.id, name)
const finish = (upload: Parameters<typeof files.finish>[2]) => files.finish('person', person.id, upload, 'a.txt')
const get = (url: string, headers = {}) => app.http.send({ method: 'GET', url, headers })

/** The content of the folder, by the ids of uploads. */
async function stored(id: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true })
  return found.filter((path) => path.includes(`${id}/`)).map((path) => path.slice(path.indexOf(id) + id.length + 1))
}

async function download(name: string, bytes: string | Buffer) {
  const url = await files.urlOf('person', person.id, await files.attach('person', person.id, name, bytes))
  return { url, ...(await get(url)) }
}

test('an upload that breaks off leaves nothing, and may be sent again', async () => {
  const upload = await begin()
  const outgoing = request(upload.signedUrl, { method: 'PUT', headers: { 'Content-Length': '50000' } })
  outgoing.on('error', () => undefined)
  outgoing.write(Buffer.alloc(20_000))
  await expect.poll(() => stored(upload.attachmentId)).toHaveLength(1)
  outgoing.destroy()
  await expect.poll(() => stored(upload.attachmentId)).toEqual([])
  expect((await finish(upload)).status).toBe(422)
  expect((await files.send(upload.signedUrl, 'whole')).status).toBe(200)
  expect((await finish(upload)).status).toBe(201)
})

test('what is too large is refused, whether it says so or not, and leaves nothing', async () => {
  const upload = await begin()
  const said = await files.send(upload.signedUrl, Buffer.alloc(bytesMax + 1))
  expect([said.status, said.body.errors[0]]).toMatchObject([
    413,
    { code: 'payload_too_large', meta: { limit_bytes: bytesMax } },
  ])
  const chunked = request(upload.signedUrl, { method: 'PUT' })
  chunked.write(Buffer.alloc(bytesMax))
  chunked.end(Buffer.alloc(1))
  const [response] = await once(chunked, 'response')
  expect(response.statusCode).toBe(413)
  response.resume()
  expect(await stored(upload.attachmentId)).toEqual([])
  expect((await files.send(upload.signedUrl, Buffer.alloc(bytesMax))).status).toBe(200)
})

test('an upload of a known size takes exactly that, and is refused at once if it is too large', async () => {
  const upload = await files.begin('person', person.id, 'a.txt', 5)
  const statusOf = async (bytes: string) => (await files.send(upload.signedUrl, bytes)).status
  expect([await statusOf('123456'), await statusOf('1234')]).toEqual([413, 422])
  expect(await stored(upload.attachmentId)).toEqual([])
  expect(await statusOf('12345')).toBe(200)
  const body = { name: 'a.txt', size_bytes: bytesMax + 1 }
  const refused = await app.api.put(files.pathOf('person', person.id), { as: 'member', body })
  expect([refused.status, refused.body.errors[0].meta]).toEqual([413, { limit_bytes: bytesMax }])
})

test('bytes are replaced until they are attached, and never after', async () => {
  const upload = await begin()
  await files.send(upload.signedUrl, 'first')
  await files.send(upload.signedUrl, 'second')
  await finish(upload)
  const late = await files.send(upload.signedUrl, 'third')
  expect([late.status, late.body.errors[0].code]).toEqual([409, 'upload_ended'])
  expect((await get(await files.urlOf('person', person.id, upload.attachmentId))).body).toBe('second')
})

test('a URL that was changed, or made for something else, or has expired, gives nothing', async () => {
  const upload = await begin()
  const { signedUrl } = upload
  const token = new URL(signedUrl).searchParams.get('token') ?? ''
  const at = signedUrl.length - 3
  const changed = `${signedUrl.slice(0, at)}${signedUrl[at] === 'A' ? 'B' : 'A'}${signedUrl.slice(at + 1)}`
  for (const url of [changed, signedUrl.replace(token, ''), signedUrl.replace(token, 'a.b.c.d'), `${signedUrl}A`])
    expect((await files.send(url, 'x')).status).toBe(403)
  const other = await get(signedUrl)
  expect([other.status, other.headers['allow']]).toEqual([405, 'PUT'])
  await files.send(signedUrl, 'bytes')
  await finish(upload)
  const url = await files.urlOf('person', person.id, upload.attachmentId)
  expect((await files.send(url, 'x')).status).toBe(405)
  await app.advance(3_600_000)
  for (const { status, body } of [await get(url), await files.send(signedUrl, 'x')])
    expect([status, body.errors[0].code]).toEqual([410, 'url_expired'])
})

test('what is not attached within a day is removed, and so is what was deleted', async () => {
  const forgotten = await begin()
  await files.send(forgotten.signedUrl, 'forgotten')
  const attached = await files.attach('person', person.id, 'kept.txt', 'kept')
  const deleted = await files.attach('person', person.id, 'gone.txt', 'gone')
  await files.remove('person', person.id, deleted)
  await app.advance(24 * 3_600_000)
  expect((await finish(forgotten)).status).toBe(422)
  await app.startJobs()
  await expect.poll(() => stored(forgotten.attachmentId)).toEqual([])
  await expect.poll(() => stored(deleted)).toEqual([])
  expect(await stored(attached)).toEqual(['file'])
})

test('bytes that are sent again after their attachment was deleted are not left behind', async () => {
  const forgotten = await begin()
  await files.send(forgotten.signedUrl, 'forgotten')
  await app.advance(24 * 3_600_000)
  const upload = await begin()
  await files.send(upload.signedUrl, 'bytes')
  await finish(upload)
  await files.remove('person', person.id, upload.attachmentId)
  await app.startJobs()
  await expect.poll(() => stored(forgotten.attachmentId)).toEqual([])
  expect((await files.send(upload.signedUrl, 'again')).status).toBe(409)
  expect((await finish(upload)).status).toBe(422)
  await app.advance(3_600_000)
  expect((await files.send(upload.signedUrl, 'again')).status).toBe(410)
  // Rounds of upkeep are some minutes apart, from the end of one to the next.
  const afterUpkeep = async () => {
    await app.advance(300_000)
    return stored(upload.attachmentId)
  }
  await expect.poll(afterUpkeep, { timeout: 30_000 }).toEqual([])
})

test('types are told by content, and what could run in a browser is for saving only', async () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const image = await download('page.html', png)
  expect(image.headers).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': 'inline; filename=page.html',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  })
  for (const [name, bytes] of [
    ['page.html', '<html><script>alert(1)</script></html>'],
    ['image.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['image.png', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['page.xhtml', '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>'],
    ['data.bin', Buffer.from([0, 1, 2, 3, 255])],
  ] as const) {
    const { headers } = await download(name, bytes)
    const isShown = headers['content-type'] === 'text/plain; charset=utf-8'
    if (!isShown) expect(headers['content-type']).toBe('application/octet-stream')
    expect(headers['content-disposition']).toMatch(isShown ? /^inline/ : /^attachment/)
    expect(headers['x-content-type-options']).toBe('nosniff')
  }
})

test('names of files are encoded, whatever is in them', async () => {
  const names = {
    '../../etc/passwd': '__.._etc_passwd',
    'a"b\\c.txt': 'a_b_c.txt',
    'r\u202Egnp.exe': 'r_gnp.exe',
    'Angebot für Zoë 🎉.txt': 'Angebot für Zoë 🎉.txt',
    '.profile': '_profile',
  }
  for (const [name, shown] of Object.entries(names)) {
    const { headers } = await download(name, 'text')
    const disposition = headers['content-disposition'] ?? ''
    const encoded = /filename\*=UTF-8''(.*)$/.exec(disposition)?.[1]
    expect(encoded === undefined ? /filename="?([^"]*)"?$/.exec(disposition)?.[1] : decodeURIComponent(encoded)).toBe(
      shown,
    )
  }
  const split = await app.api.put(files.pathOf('person', person.id), {
    as: 'member',
    body: { name: 'a\r\nSet-Cookie: b' },
  })
  expect(split.status).toBe(422)
})

test('a part of a file is given by its range', async () => {
  const { url } = await download('digits.txt', '0123456789')
  const part = await get(url, { Range: 'bytes=2-4' })
  expect([part.status, part.body, part.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10'])
  expect((await get(url, { Range: 'bytes=-3' })).body).toBe('789')
  const whole = await get(url, { Range: 'bytes=-20' })
  expect([whole.status, whole.body, whole.headers['content-range']]).toEqual([206, '0123456789', 'bytes 0-9/10'])
  const beyond = await get(url, { Range: 'bytes=20-30' })
  expect([beyond.status, beyond.headers['content-range']]).toEqual([416, 'bytes */10'])
  expect(beyond.body.errors[0].code).toBe('range_not_satisfiable')
  const head = await app.http.send({ method: 'HEAD', url })
  expect([head.status, head.headers['content-length'], head.headers['accept-ranges']]).toEqual([200, '10', 'bytes'])
  expect((await get(url, { Range: 'Bytes=2-4' })).body).toBe('234')
  const ofHead = await app.http.send({ method: 'HEAD', url, headers: { Range: 'bytes=2-4' } })
  expect([ofHead.status, ofHead.headers['content-length'], ofHead.headers['content-range']]).toEqual([
    200,
    '10',
    undefined,
  ])
  const known = await get(url, { 'If-None-Match': head.headers['etag'] ?? '' })
  expect([known.status, known.body]).toEqual([304, undefined])
})

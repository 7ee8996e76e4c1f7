import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { afterAll, expect, test, vi } from 'vitest'
import { S3Storage } from './s3.ts'
import { headBytes } from './storage.ts'

const file = { workspaceId: 'w', id: 'f' }
let answer: RequestListener = (_request, response) => void response.end()
const server = createServer((request, response) => answer(request, response))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const storage = new S3Storage(
  {
    bucket: 'kontor',
    region: 'us-east-1',
    endpoint,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  },
  10 ** 12,
)

test('reads the beginning of a file, also from a service that sends all of it', async () => {
  const size = 10 ** 11
  let sent = 0
  const whole = async function* () {
    for (; sent < size; sent += 65_536) yield Buffer.alloc(65_536, '%PDF-1.7 ')
  }
  answer = (request, response) => {
    response.writeHead(200, { 'content-length': size })
    if (request.method === 'HEAD') response.end()
    else void pipeline(whole, response).catch(() => undefined)
  }
  const kept = await storage.keep(file)
  expect(kept).toMatchObject({ bytes: size, head: { length: headBytes } })
  expect(sent).toBeLessThan(32 * 1024 * 1024)
})

const signedHeaders = async (bytes?: number) =>
  new URL(await storage.uploadUrl(file, bytes)).searchParams.get('X-Amz-SignedHeaders')

test('signs the length of an upload that is known, so that the bucket takes no other', async () => {
  expect(await signedHeaders(17)).toBe('content-length;host')
  expect(await signedHeaders()).toBe('host')
})

test('a storage whose credentials cannot be read is away, also where a URL is only signed', async () => {
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true').stubEnv('AWS_ACCESS_KEY_ID', '').stubEnv('AWS_PROFILE', 'none')
  const unsigned = new S3Storage({ bucket: 'kontor', region: 'us-east-1', endpoint, credentials: undefined }, 1)
  for (const call of [
    () => unsigned.uploadUrl(file),
    () => unsigned.uploadForm(file, 'video/mp4'),
    () => unsigned.downloadUrl(file, { name: 'a', mimeType: null }),
    () => unsigned.keep(file),
  ])
    await expect(call()).rejects.toMatchObject({ code: 'unavailable' })
  vi.unstubAllEnvs()
})

test('says that a storage which refuses or breaks off is away, and no more of it', async () => {
  answer = (_request, response) =>
    void response.writeHead(403).end('<Error><Message>key AKIA of 10.0.0.9</Message></Error>')
  await expect(storage.keep(file)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.not.stringContaining('10.0.0.9'),
  })
})

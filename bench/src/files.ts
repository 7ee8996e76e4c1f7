/**
 * A file of 1 GiB, uploaded and downloaded: how long it takes, and what the server holds in memory meanwhile. `node
 * bench/src/files.ts [MiB]`; on SQLite.
 */
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { inInstallation, measured, mib, type Installation } from './installation.ts'

const size = Number(process.argv[2] ?? 1024) * mib
const grownMibMax = 100

type Answer = { readonly data: Readonly<Record<string, string>> }

async function upload(to: string): Promise<void> {
  const chunk = Buffer.alloc(mib, 'kontor ')
  const outgoing = request(to, { method: 'PUT', headers: { 'Content-Length': size } })
  const answered = new Promise<IncomingMessage>((resolve, reject) =>
    outgoing.once('response', resolve).once('error', reject),
  )
  for (let sent = 0; sent < size; sent += mib) if (!outgoing.write(chunk)) await once(outgoing, 'drain')
  outgoing.end()
  const response = await answered
  response.resume()
  if (response.statusCode !== 200) throw new Error(`the upload was answered ${response.statusCode}`)
}

async function download(from: string): Promise<void> {
  const { body } = await fetch(from)
  const chunks: AsyncIterable<Uint8Array> | null = body
  let bytes = 0
  if (chunks !== null) for await (const chunk of chunks) bytes += chunk.length
  if (bytes !== size) throw new Error(`${bytes} bytes came of ${size}`)
}

/** Does something, prints how long it took, and returns the most that the server held. */
async function print(installation: Installation, name: string, work: () => Promise<void>): Promise<number> {
  const { seconds, mostMib } = await measured(installation, work)
  const speed = Math.round(size / mib / seconds)
  console.log(`${name}: ${seconds.toFixed(1)} s, ${speed} MiB/s, at most ${Math.round(mostMib)} MiB`)
  return mostMib
}

await inInstallation(async (installation) => {
  const { server, call } = installation
  const records = 'objects/person/records'
  const person = await call<Answer>('POST', records, { data: { type: 'person', attributes: {} } })
  const path = `${records}/${person.data['id']}/attachments`
  const { data } = await call<Answer>('PUT', path, { name: 'large.bin' })
  await sleep(2000)
  const before = (server.residentBytes() ?? 0) / mib
  console.log(`at rest: ${Math.round(before)} MiB`)
  const up = await print(installation, 'upload', () => upload(data['signedUrl'] ?? ''))
  await call('POST', path, { name: 'large.bin', key: data['key'], attachmentId: data['attachmentId'] })
  const given = await call<Answer>('GET', `${path}/${data['attachmentId']}`)
  const down = await print(installation, 'download', () => download(given.data['url'] ?? ''))
  const grown = Math.round(Math.max(up, down) - before)
  console.log(`grown by at most ${grown} MiB`)
  if (grown > grownMibMax) process.exitCode = 1
})

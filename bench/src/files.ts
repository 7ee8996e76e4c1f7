/**
 * A file of 1 GiB, uploaded and downloaded: how long it takes, and what the server holds in memory meanwhile. `node
 * bench/src/files.ts [MiB]`; on SQLite, in a folder of its own.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openAdmin, readConfig } from '@kontor/server/admin'
import { startKontor, stopServers, type Server } from './processes.ts'

const mib = 1024 * 1024
const size = Number(process.argv[2] ?? 1024) * mib
const grownMibMax = 100

const folder = await mkdtemp(join(tmpdir(), 'kontor-files-'))
const url = `sqlite:${join(folder, 'kontor.db')}`

async function makeKey(): Promise<string> {
  const { admin, close } = await openAdmin(readConfig({ DATABASE_URL: url, DATA_DIR: folder }))
  const email = 'admin@example.com'
  await admin.createWorkspace({ slug: 'acme', name: 'Acme', adminEmail: email })
  const { data } = await admin.createKey({ workspace: 'acme', email, kind: 'personal', scopes: [], name: 'Files' })
  await close()
  return data.attributes.cleartext_api_key
}

type Answer = { readonly data: Readonly<Record<string, string>> }

async function call(baseUrl: string, key: string, method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${baseUrl}/workspaces/acme/objects/person/records${path}`, {
    method,
    headers: { Authorization: `api-key ${key}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Answer
}

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

/** Runs something, and says how long it took and the most that the server held. */
async function measured(server: Server, name: string, work: () => Promise<void>): Promise<number> {
  let most = 0
  const look = () => (most = Math.max(most, (server.residentBytes() ?? 0) / mib))
  const looking = setInterval(look, 100)
  const began = performance.now()
  await work()
  clearInterval(looking)
  const seconds = (performance.now() - began) / 1000
  console.log(
    `${name}: ${seconds.toFixed(1)} s, ${Math.round(size / mib / seconds)} MiB/s, at most ${Math.round(most)} MiB`,
  )
  return most
}

try {
  const key = await makeKey()
  const server = await startKontor(url, folder, {})
  const { baseUrl } = server
  const person = await call(baseUrl, key, 'POST', '', { data: { type: 'person', attributes: {} } })
  const path = `/${person.data['id']}/attachments`
  const { data } = await call(baseUrl, key, 'PUT', path, { name: 'large.bin' })
  await sleep(2000)
  const before = (server.residentBytes() ?? 0) / mib
  console.log(`at rest: ${Math.round(before)} MiB`)
  const up = await measured(server, 'upload', () => upload(data['signedUrl'] ?? ''))
  await call(baseUrl, key, 'POST', path, { name: 'large.bin', key: data['key'], attachmentId: data['attachmentId'] })
  const given = await call(baseUrl, key, 'GET', `${path}/${data['attachmentId']}`)
  const down = await measured(server, 'download', () => download(given.data['url'] ?? ''))
  const grown = Math.round(Math.max(up, down) - before)
  console.log(`grown by at most ${grown} MiB`)
  if (grown > grownMibMax) process.exitCode = 1
} finally {
  await stopServers()
  await rm(folder, { recursive: true, force: true })
}

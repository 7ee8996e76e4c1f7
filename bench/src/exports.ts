/**
 * Exports of many persons: a bundle of the workspace, and each format. Rows in a second, and what the server holds in
 * memory meanwhile. `node bench/src/exports.ts [THOUSANDS]`; on SQLite, in a folder of its own.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openAdmin, readConfig } from '@kontor/server/admin'
import { startKontor, stopServers } from './processes.ts'

const thousands = Number(process.argv[2] ?? 50)

const folder = await mkdtemp(join(tmpdir(), 'kontor-exports-'))
const url = `sqlite:${join(folder, 'kontor.db')}`

async function makeKey(): Promise<string> {
  const { admin, close } = await openAdmin(readConfig({ DATABASE_URL: url, DATA_DIR: folder }))
  const email = 'admin@example.com'
  await admin.createWorkspace({ slug: 'acme', name: 'Acme', adminEmail: email })
  const { data } = await admin.createKey({ workspace: 'acme', email, kind: 'personal', scopes: [], name: 'Exports' })
  await close()
  return data.attributes.cleartext_api_key
}

type Running = Awaited<ReturnType<typeof startKontor>>

type Export = {
  readonly id: string
  readonly attributes: {
    readonly state: string
    readonly rows_done: number
    readonly size_bytes: number
    readonly started_at: string
    readonly ended_at: string | null
  }
}

async function call<T>(server: Running, key: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${server.baseUrl}/workspaces/acme${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `api-key ${key}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`)
  return ((await response.json()) as { readonly data: T }).data
}

const personOf = (number: number) => ({
  type: 'person',
  attributes: {
    name: { first_name: `Ada ${number}`, last_name: 'Lovelace' },
    email_addresses: { items: [`ada.${number}@people.example`] },
    job_title: 'Countess of analytical engines',
  },
})

/** Exports, and prints the speed and the most that the server held. */
async function measure(server: Running, key: string, name: string, body: object): Promise<void> {
  let most = 0
  const looking = setInterval(() => (most = Math.max(most, server.residentBytes() ?? 0)), 50)
  let found = await call<Export>(server, key, '/exports', body)
  while (found.attributes.ended_at === null) {
    await sleep(50)
    found = await call<Export>(server, key, `/exports/${found.id}`)
  }
  clearInterval(looking)
  const { state, rows_done: rows, size_bytes: bytes, started_at, ended_at } = found.attributes
  const seconds = (Date.parse(ended_at) - Date.parse(started_at)) / 1000
  const speed = `${Math.round(rows / seconds)} rows a second`
  console.log(`${name}: ${state}, ${rows} rows, ${bytes} bytes, ${speed}, at most ${Math.round(most / 2 ** 20)} MiB`)
}

try {
  const key = await makeKey()
  const server = await startKontor(url, folder, {})
  for (let done = 0; done < thousands; done++) {
    const data = Array.from({ length: 1000 }, (_, index) => personOf(done * 1000 + index))
    await call(server, key, '/objects/person/records/bulk', { data })
  }
  await measure(server, key, 'workspace', { kind: 'workspace' })
  for (const format of ['csv', 'ndjson', 'xlsx', 'parquet'])
    await measure(server, key, format, { kind: 'records', object: 'person', format })
} finally {
  await stopServers()
  await rm(folder, { recursive: true, force: true })
}

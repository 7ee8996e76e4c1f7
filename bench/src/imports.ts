/**
 * An import of 50,000 persons from a CSV file, beside the same rows in bulk requests: rows per second of both, the
 * memory of the server and the wait of another client meanwhile. `DATABASE_URL=… node bench/src/imports.ts [rows]`; by
 * default on SQLite, in a folder of its own. A Postgres database must be empty.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openAdmin, readConfig } from '@kontor/server/admin'
import { startKontor, stopServers, type Server } from './processes.ts'

const mib = 1024 * 1024
const rowsMax = Number(process.argv[2] ?? 50_000)
const portion = 500

const folder = await mkdtemp(join(tmpdir(), 'kontor-imports-'))
const url = process.env['DATABASE_URL'] ?? `sqlite:${join(folder, 'kontor.db')}`

async function makeKey(): Promise<string> {
  const { admin, close } = await openAdmin(readConfig({ DATABASE_URL: url, DATA_DIR: folder }))
  const email = 'admin@example.com'
  await admin.createWorkspace({ slug: 'acme', name: 'Acme', adminEmail: email })
  const { data } = await admin.createKey({ workspace: 'acme', email, kind: 'personal', scopes: [], name: 'Imports' })
  await close()
  return data.attributes.cleartext_api_key
}

type Answer = { readonly data: Readonly<Record<string, unknown>> }

const key = await makeKey()

async function call(server: Server & { readonly baseUrl: string }, method: string, path: string, body?: object) {
  const response = await fetch(`${server.baseUrl}/workspaces/acme/${path}`, {
    method,
    headers: { Authorization: `api-key ${key}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Answer
}

const address = (row: number, group: string): string => `${group}-${row}@example.com`

/** Prints the rows per second of some work, and what another client waited and the server held meanwhile. */
async function measured(
  server: Server & { readonly baseUrl: string },
  name: string,
  work: () => Promise<unknown>,
): Promise<number> {
  let most = 0
  const waits: number[] = []
  const done = new AbortController()
  const look = async (): Promise<void> => {
    while (!done.signal.aborted) {
      const began = performance.now()
      await call(server, 'GET', 'objects/company/resources?page[limit]=1')
      waits.push(performance.now() - began)
      most = Math.max(most, (server.residentBytes() ?? 0) / mib)
      await sleep(20)
    }
  }
  const looking = look()
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1000
  done.abort()
  await looking
  waits.sort((one, other) => one - other)
  const [median, p99] = [0.5, 0.99].map((share) => Math.round(waits[Math.floor(waits.length * share)] ?? 0))
  const perSecond = Math.round(rowsMax / seconds)
  console.log(`${name}: ${perSecond} rows/s; others wait ${median} ms, p99 ${p99} ms; at most ${Math.round(most)} MiB`)
  return perSecond
}

try {
  const server = await startKontor(url, folder, {})
  const bulk = async (): Promise<void> => {
    for (let from = 0; from < rowsMax; from += portion) {
      const data = Array.from({ length: Math.min(portion, rowsMax - from) }, (_, at) => ({
        type: 'person',
        attributes: {
          name: { first_name: 'Ada', last_name: `Bulk ${from + at}` },
          email_addresses: { items: [address(from + at, 'bulk')] },
          job_title: 'Analyst',
        },
      }))
      await call(server, 'POST', 'objects/person/records/bulk?atomic=false', { data, match_on: 'email_addresses' })
    }
  }
  const file = async (): Promise<void> => {
    const lines = Array.from({ length: rowsMax }, (_, row) => `Ada,File ${row},${address(row, 'file')},Analyst`)
    const { data } = await call(server, 'POST', 'imports/uploads', { name: 'people.csv' })
    const body = `First,Last,Mail,Job\n${lines.join('\n')}\n`
    await fetch(String(data['signedUrl']), { method: 'PUT', body })
    const mapping = Object.entries({
      First: 'name.first_name',
      Last: 'name.last_name',
      Mail: 'email_addresses',
      Job: 'job_title',
    }).map(([source, field]) => ({ source, field }))
    const request = { object: 'person', upload_id: data['upload_id'], mapping, match_on: 'email_addresses' }
    const { id } = (await call(server, 'POST', 'imports', request)).data
    for (;;) {
      const { attributes } = (await call(server, 'GET', `imports/${String(id)}`)).data
      const { ended_at, created } = attributes as { readonly ended_at: string | null; readonly created: number }
      if (ended_at !== null && created !== rowsMax) throw new Error(`${created} of ${rowsMax} rows were created`)
      if (ended_at !== null) return
      await sleep(50)
    }
  }
  const baseline = await measured(server, 'bulk requests', bulk)
  const imported = await measured(server, 'import', file)
  console.log(`ratio: ${(imported / baseline).toFixed(2)}`)
} finally {
  await stopServers()
  await rm(folder, { recursive: true, force: true })
}

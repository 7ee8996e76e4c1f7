/**
 * The cost of an event in SQL alone, by where its parts are stored (docs/decisions/0366): one event in a transaction,
 * and its number in the log. Microseconds of CPU (on Postgres of all its processes) and bytes that stay, for the
 * creation of a person and the update of one field.
 * `node bench/src/event-cost.ts [postgres|sqlite] [events] [rounds]`; pgbench has to be installed.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Driver from 'better-sqlite3'
import { Client } from 'pg'
import { openDatabases } from './databases.ts'
import { candidates, changes, type Candidate, type Change } from './event-cost/candidates.ts'
import { databaseCpu } from './plain/database.ts'

const [database, events, rounds] = [
  process.argv[2] ?? 'postgres',
  Number(process.argv[3] ?? 20_000),
  Number(process.argv[4] ?? 2),
]
const clients = 4

type Cost = { readonly us: number; readonly bytes: number }

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function onPostgres(measure: (run: (candidate: Candidate, change: Change) => Promise<Cost>) => Promise<void>) {
  const databases = await openDatabases('postgres', undefined)
  try {
    const url = await databases.create('event_cost')
    const client = new Client({ connectionString: url })
    await client.connect()
    const cpuMs = await databaseCpu(url)
    const file = join(databases.folder, 'event.sql')
    await measure(async ({ tables, write, number, kept }, change) => {
      await client.query('drop schema public cascade; create schema public')
      for (const text of tables('postgres')) await client.query(text)
      const lines = [
        '\\set n random(1, 2000)',
        '\\set p random(1, 1000000000000)',
        'begin;',
        ...write('postgres', change).map((text) => `${text};`),
        'commit;',
      ]
      writeFileSync(file, lines.map((line) => line.replaceAll(/\n\s*/g, ' ')).join('\n'))
      const options = ['-n', '-M', 'prepared', '-c', `${clients}`, '-t', `${events / clients}`, '-f', file, url]
      const before = cpuMs?.() ?? 0
      execFileSync('pgbench', options, { stdio: ['ignore', 'ignore', 'inherit'] })
      for (let more = true; more;) {
        const { rows } = await client.query<{ events: string }>(number)
        more = Number(rows[0]?.events) > 0
      }
      const us = (((cpuMs?.() ?? 0) - before) * 1000) / events
      await client.query('vacuum')
      const { rows } = await client.query<{ bytes: string }>(
        `select sum(pg_total_relation_size(name::regclass)) as bytes from unnest($1::text[]) as name`,
        [kept],
      )
      return { us, bytes: Number(rows[0]?.bytes) / events }
    })
    await client.end()
  } finally {
    await databases.close()
  }
}

async function onSqlite(measure: (run: (candidate: Candidate, change: Change) => Promise<Cost>) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'kontor-bench-'))
  const path = join(folder, 'event-cost.sqlite')
  try {
    await measure(async ({ tables, write }, change) => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
      const db = new Driver(path)
      for (const pragma of ['journal_mode = wal', 'synchronous = normal']) db.pragma(pragma)
      for (const text of tables('sqlite')) db.exec(text)
      const statements = write('sqlite', change).map((text) => db.prepare(text))
      const before = process.cpuUsage()
      for (let event = 1; event <= events; event++)
        db.transaction(() => {
          const values = { n: ((event * 7919) % 2000) + 1, p: event, id: `${event}`.padStart(36, '0') }
          for (const statement of statements) statement.run(values)
        })()
      const { user, system } = process.cpuUsage(before)
      db.pragma('wal_checkpoint(truncate)')
      db.close()
      return { us: (user + system) / events, bytes: statSync(path).size / events }
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await (database === 'sqlite' ? onSqlite : onPostgres)(async (run) => {
  const found = new Map<string, Cost[]>()
  for (let round = 0; round < rounds; round++)
    for (const candidate of candidates)
      for (const change of changes) {
        if (database === 'sqlite' && candidate.isPostgresOnly) continue
        const name = `${change}: ${candidate.name}`
        found.set(name, [...(found.get(name) ?? []), await run(candidate, change)])
      }
  for (const [name, costs] of found) {
    const us = costs.map((cost) => Math.round(cost.us)).join(', ')
    console.log(`${name}: ${us} µs, ${Math.round(median(costs.map(({ bytes }) => bytes)))} bytes`)
  }
})

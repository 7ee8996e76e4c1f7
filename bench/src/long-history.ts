/**
 * The cost of writes of records with long feeds (docs/decisions/0366): the median time in ms to create a record, to
 * delete, restore, merge and purge one with so many events, by requests one after another.
 * `node bench/src/long-history.ts [postgres|sqlite] [events] [records]`
 */
import { purging } from '@kontor/server'
import { openAdmin, readConfig } from '@kontor/server/admin'
import { openDatabases } from './databases.ts'
import { authorizationOf } from './keys.ts'
import { callOf } from './plain/seed.ts'
import { startKontor, stopServers } from './processes.ts'
import { median } from './rates.ts'
import { seed } from './seed.ts'

const database = process.argv[2] === 'sqlite' ? 'sqlite' : 'postgres'
const [events, records] = [Number(process.argv[3] ?? 10_000), Number(process.argv[4] ?? 6)]

/** Longer than a deleted record is kept. */
const expiredMs = 31 * 24 * 3_600_000

const databases = await openDatabases(database, undefined)
const times: Record<string, number[]> = {}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now()
  const value = await work()
  ;(times[what] ??= []).push(performance.now() - started)
  return value
}

/** Removes for good what is deleted, as upkeep does when it has expired. */
async function purge(url: string): Promise<void> {
  const { database: store, close } = await openAdmin(readConfig({ DATABASE_URL: url }))
  const now = Date.now() + expiredMs
  try {
    for (const workspaceId of await purging.due(store.reader, now))
      while ((await store.write((tx) => purging.batch(tx, workspaceId, now))).more);
  } finally {
    await close()
  }
}

try {
  const url = await databases.create('long_history')
  const counts = Array.from({ length: 2 * records }, () => events)
  const { changedIds } = await seed(url, { people: 1000, companies: 10, changes: counts }, () => undefined)
  const server = await startKontor(url, databases.folder, {})
  const headers = { Authorization: await authorizationOf(url, server.baseUrl) }
  const call = callOf(server.baseUrl, headers)
  const path = '/objects/person/records'
  for (const [at, id] of changedIds.slice(0, records).entries()) {
    const attributes = { name: { first_name: 'Ada', last_name: `Newcomer ${at}` } }
    await timed('create', () => call('POST', path, { data: { type: 'person', attributes } }))
    await timed('delete', () => call('DELETE', path, { items: [id] }))
    await timed('restore', () => call('POST', `${path}/restore`, { items: [id] }))
    const merged = { sources: [changedIds[records + at]] }
    await timed('merge', () => call('POST', `${path}/${id}/merges`, { data: { type: 'person', attributes: merged } }))
    await call('DELETE', path, { items: [id] })
  }
  await stopServers()
  await timed('purge', () => purge(url))
  const each = ([what, some]: [string, number[]]) => (what === 'purge' ? (some[0] ?? 0) / records : median(some))
  for (const entry of Object.entries(times))
    process.stdout.write(`${database}, ${events} events, ${entry[0]}: ${each(entry).toFixed(1)} ms\n`)
} finally {
  await stopServers()
  await databases.close()
}

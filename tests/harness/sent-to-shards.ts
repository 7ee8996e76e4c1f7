import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, fstatSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { acrossWorkspaces } from './across-workspaces.ts'
import { isOfHarness } from './bound-statements.ts'
import { madeDatabases } from './postgres.ts'
import { acrossShards, statementsOnShards } from './shard-log.ts'
import { until } from './until.ts'

/** Bytes of the log that were read. */
let read = 0

/** Returns what the cluster of the run has logged since the last call. */
async function newLog(): Promise<string> {
  const url = inject('postgresUrl')
  const file = join(new URL(url).searchParams.get('host') ?? '', 'log')
  const mark = `read until ${randomUUID()}`
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // Postgres logs in order, and the keeper of the cluster writes it to the file a moment later.
  await client.query(`do $$ begin raise log '${mark}'; end $$`)
  await client.end()
  let log = ''
  await until(() => (log = textFrom(file, read)).includes(mark), { what: () => `${file} has no ${mark}` })
  read += log.length
  return log
}

function textFrom(file: string, position: number): string {
  const descriptor = openSync(file, 'r')
  const bytes = Buffer.alloc(fstatSync(descriptor).size - position)
  readSync(descriptor, bytes, 0, bytes.length, position)
  closeSync(descriptor)
  return bytes.toString('latin1')
}

/**
 * Returns the statements that the server has sent to several shards since the last call, without the exceptions
 * (docs/decisions/0340).
 */
export async function sentToShards(): Promise<string[]> {
  const exceptions = [...acrossWorkspaces, ...acrossShards]
  return statementsOnShards(await newLog(), madeDatabases).filter(
    (text) => !isOfHarness(text) && !exceptions.some(({ words }) => text.includes(words)),
  )
}

/** Throws if a statement of the test file was sent to several shards and is no exception. */
export async function assertOneShard(): Promise<void> {
  if (madeDatabases.size === 0) return
  const sent = await sentToShards()
  if (sent.length > 0) throw new Error(`A statement has run on several shards (0340).\n${sent.join('\n')}`)
}

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { atEnd } from './at-end.ts'
import { PostgresServer } from './postgres-server.ts'

async function query(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/**
 * A Postgres with a standby that follows it, both of the file's own. The files of the standby are a copy from before
 * the first start, in a fraction of the time of a base backup.
 */
export async function postgresWithStandby() {
  const parent = await mkdtemp(join(tmpdir(), 'kontor-pg-'))
  chmodSync(parent, 0o711)
  const [first, second] = [join(parent, 'primary'), join(parent, 'standby')]
  const primary = new PostgresServer(first)
  mkdirSync(second)
  primary.own(second)
  const { status, stderr } = spawnSync('cp', ['-a', join(first, 'data'), second], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the files of Postgres were not copied: ${stderr}`)
  writeFileSync(join(second, 'data', 'standby.signal'), '')
  const standby = new PostgresServer(second, [`primary_conninfo=host=${first} user=postgres`])
  await Promise.all([primary.start(), standby.start()])
  atEnd(async () => {
    await Promise.all([primary.stop(), standby.stop()])
    await rm(parent, { recursive: true, force: true })
  })
  return {
    url: primary.url,
    standbyUrl: standby.url,
    onPrimary: (text: string) => query(primary.url, text),
    onStandby: (text: string) => query(standby.url, text),
    stopStandby: () => standby.stop(),
    startStandby: () => standby.start(),
  }
}

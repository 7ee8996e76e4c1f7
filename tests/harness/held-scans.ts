import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { inject } from 'vitest'
import { openAt, type TestDatabase } from './database.ts'

const lockNumber = 27

/**
 * Lets a scan of a workspace hold the turn that it may have, until it is called: on Postgres it waits for a lock, on
 * SQLite the process that reads for it is stopped. It must be the first scan of the app, which starts that process.
 */
export const heldScansOf = (database: TestDatabase, databaseUrl: string) => (workspaceId: string) =>
  inject('database') === 'postgres' ? byLock(database, databaseUrl, workspaceId) : byStop(database, workspaceId)

const scanOf = ({ reader }: TestDatabase, party: string, text: string) =>
  reader.executor.send({ text, values: [], answer: 'rows', heavy: 'scan', party })

async function byLock(database: TestDatabase, databaseUrl: string, workspaceId: string) {
  const other = openAt(databaseUrl)
  const released = Promise.withResolvers<void>()
  const holding = Promise.withResolvers<void>()
  const take = `select pg_advisory_xact_lock(${lockNumber})`
  const held = other.write(async (tx) => {
    await tx.query(({ knex }) => knex.raw(take))
    holding.resolve()
    await released.promise
  })
  await Promise.race([holding.promise, held])
  const scan = scanOf(database, workspaceId, take)
  return async () => {
    released.resolve()
    await Promise.all([held, scan])
    await other.close()
  }
}

async function byStop(database: TestDatabase, workspaceId: string) {
  const started = Promise.withResolvers<ChildProcess>()
  const onStarted = (message: unknown) => started.resolve((message as { process: ChildProcess }).process)
  subscribe('child_process', onStarted)
  const scan = scanOf(database, workspaceId, 'select 1')
  const reader = await started.promise
  unsubscribe('child_process', onStarted)
  reader.kill('SIGSTOP')
  return async () => {
    reader.kill('SIGCONT')
    await scan
  }
}

import { verifyDatabase, type Tx } from '@kontor/server/admin'
import { expect } from 'vitest'
import { openAt } from './database.ts'
import { workspaceIdOf } from './stored.ts'

/** Verifies the stored data of acme, as `kontor doctor --deep` does, and changes rows behind the server's back. */
export function verificationOf(url: string) {
  const onDatabase = async <T>(work: (database: ReturnType<typeof openAt>) => Promise<T>): Promise<T> => {
    const database = openAt(url)
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  }
  return {
    /** The checks that found something, each with what it found and how much of that it repaired. */
    found: ({ repair = false, aheadMs = 0 } = {}) =>
      onDatabase(async (database) => {
        const clock = { now: () => Date.now() + aheadMs, monotonicMs: () => performance.now() }
        const checks = await verifyDatabase({ database, clock }, { workspace: 'acme', repair })
        return Object.fromEntries(
          checks
            .filter(({ found }) => found > 0)
            .map(({ name, found, repaired, details }) => [name, { found, repaired, details }]),
        )
      }),
    /** Changes rows of acme. */
    change: <T>(work: (tx: Tx, workspaceId: string) => Promise<T>): Promise<T> =>
      onDatabase(async (database) => {
        const workspaceId = await workspaceIdOf(database)('acme')
        return await database.write((tx) => work(tx, workspaceId))
      }),
  }
}

/**
 * With `KONTOR_VERIFY=1`, each file ends with the verification of its database: whatever its requests did, what is
 * derived agrees with the records. Tests may leave jobs that nothing runs.
 */
export async function verifyAtEnd(deps: Parameters<typeof verifyDatabase>[0]): Promise<void> {
  if (process.env['KONTOR_VERIFY'] === undefined) return
  const checks = await verifyDatabase(deps)
  expect(checks.filter(({ name, found }) => found > 0 && name !== 'Overdue jobs')).toEqual([])
}

/** Asserts that the verification of the database at a URL finds nothing. */
export async function expectVerified(url: string): Promise<void> {
  const database = openAt(url)
  const clock = { now: Date.now, monotonicMs: () => performance.now() }
  const checks = await verifyDatabase({ database, clock })
  await database.close()
  expect(checks.filter(({ found }) => found > 0)).toEqual([])
}

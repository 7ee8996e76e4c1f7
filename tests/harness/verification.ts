import { verifyDatabase, type Tx } from '@kontor/server/admin'
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
    change: (work: (tx: Tx, workspaceId: string) => Promise<unknown>) =>
      onDatabase(async (database) => {
        const workspaceId = await workspaceIdOf(database)('acme')
        await database.write((tx) => work(tx, workspaceId))
      }),
  }
}

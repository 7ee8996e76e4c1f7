import type { Database } from '../../../db/tx.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Verification } from '../../../kernel/verification.ts'

type Counting = { readonly database: Database; readonly clock: Clock; readonly counters: readonly Verification[] }

/** Counts what was restored, as a repair of counters does. */
export async function rebuildCounters({ database, clock, counters }: Counting, workspaceId: string): Promise<void> {
  for (const { verify } of counters) {
    let after: string | undefined
    do {
      const request = { workspaceId, after, now: clock.now() }
      const { discrepancies, next } = await database.reader.inOneState((tx) => verify(tx, request))
      await database.write(async (tx) => {
        for (const { repair } of discrepancies) await repair?.(tx)
      })
      after = next
    } while (after !== undefined)
  }
}

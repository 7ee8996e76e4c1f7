import { outboxFacts } from '../modules/events/index.ts'
import type { Database } from '../db/tx.ts'
import { jobFacts } from '../engine/overview/store.ts'
import type { Backlog } from '../http/metrics/backlog.ts'
import type { Clock } from '../kernel/clock.ts'
import { countIndexes } from '../modules/indexes/index.ts'

/** Reads the pending work in the database. */
export async function readBacklog(database: Database, clock: Clock): Promise<Backlog> {
  const now = clock.now()
  const [jobs, outbox, indexes] = await Promise.all([
    jobFacts(database, now),
    outboxFacts(database, now),
    countIndexes(database.reader),
  ])
  return { jobs, outbox, indexes }
}

import { outboxFacts } from './db/outbox.ts'
import type { Database } from './db/tx.ts'
import { jobFacts, type JobFacts } from './engine/overview/store.ts'
import type { Clock } from './kernel/clock.ts'
import { countIndexes, type IndexCount } from './modules/indexes/index.ts'

/** The pending work in the database. */
export type Backlog = {
  readonly jobs: JobFacts
  readonly outbox: { readonly waiting: number; readonly lagMs: number }
  readonly indexes: readonly IndexCount[]
}

export async function readBacklog(database: Database, clock: Clock): Promise<Backlog> {
  const now = clock.now()
  const [jobs, outbox, indexes] = await Promise.all([
    jobFacts(database, now),
    outboxFacts(database, now),
    countIndexes(database.reader),
  ])
  return { jobs, outbox, indexes }
}

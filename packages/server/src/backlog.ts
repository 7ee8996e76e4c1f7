import { outboxFacts } from './db/outbox.ts'
import type { Database } from './db/tx.ts'
import { jobFacts, type JobFacts } from './engine/overview/store.ts'
import type { Clock } from './kernel/clock.ts'

/** What lies in the database and waits to be done. */
export type Backlog = { readonly jobs: JobFacts; readonly outbox: { readonly waiting: number; readonly lagMs: number } }

export async function readBacklog(database: Database, clock: Clock): Promise<Backlog> {
  const now = clock.now()
  const [jobs, outbox] = await Promise.all([jobFacts(database, now), outboxFacts(database, now)])
  return { jobs, outbox }
}

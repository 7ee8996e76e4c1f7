import type { Client } from 'pg'
import { lookAgain } from '../wait.ts'

const everyMs = 200

/** The connections of a database, on average over some moments. */
export type Sampled = {
  /** All that clients have open, on average, and those that are in a transaction or a statement. */
  readonly connections: number
  readonly busy: number
  /** The busy ones that wait for a lock of a row, a table or an advisory one. */
  readonly locked: number
  /** Those that wait for a lock of shared memory. */
  readonly contended: number
  /** Those that wait for the log to be on the disk. */
  readonly flushing: number
}

const text = `select count(*)::int as connections,
    count(*) filter (where state <> 'idle')::int as busy,
    count(*) filter (where wait_event_type = 'Lock')::int as locked,
    count(*) filter (where wait_event_type = 'LWLock' and wait_event <> 'WALWrite')::int as contended,
    count(*) filter (where wait_event in ('WALSync', 'WALWrite'))::int as flushing
  from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`

/** Samples the connections of a database while some work is done. */
export async function sampled(client: Client, work: () => Promise<void>): Promise<Sampled> {
  const samples: Sampled[] = []
  const stop = lookAgain(everyMs, async () => void samples.push(...(await client.query<Sampled>(text)).rows))
  await work()
  await stop()
  const mean = (name: keyof Sampled): number => samples.reduce((sum, one) => sum + one[name], 0) / samples.length
  return {
    connections: mean('connections'),
    busy: mean('busy'),
    locked: mean('locked'),
    contended: mean('contended'),
    flushing: mean('flushing'),
  }
}

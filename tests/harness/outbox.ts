import { setTimeout as sleep } from 'node:timers/promises'
import type { TestDatabase } from './database.ts'
import type { Json } from './http.ts'

export type OutboxEvent = { readonly type: string; readonly object: string; readonly record_id: string; readonly silent: boolean; readonly payload: Json; readonly actor: Json }

/** Everything that is stored of requests under their keys, as text: what must not be readable there. */
export const storedAnswersOf = (database: TestDatabase) => async (): Promise<string> =>
  JSON.stringify(await database.reader.query(({ knex }) => knex('idempotency').select('*')))

/** The ids of a record's events, as they stand in the outbox. */
export const eventIdsOf = (database: TestDatabase) => async (recordId: string): Promise<string[]> =>
  (await database.reader.query<{ id: string }>(({ knex }) => knex('outbox').select('id').where('record_id', recordId).orderBy('id'))).map(({ id }) => id)

/** Waits for jobs that are due: what a request has left to do is part of what it did. */
export async function untilIdle(database: TestDatabase, now: () => number): Promise<void> {
  const isBusy = async () => (await database.reader.query(({ knex }) => knex('job').select('id').where('kind', 'like', 'schemas.%').whereNull('ended_at').where('run_at', '<=', now() + soonMs).limit(1))).length > 0
  while (await isBusy()) await sleep(5)
}

const soonMs = 5000

/**
 * What has happened since it was last asked, oldest first. No endpoint shows the outbox yet, and "nothing happened" is
 * half of what a test of a write says.
 */
export function eventsOf(database: TestDatabase, now: () => number) {
  const seen = new Set<string>()
  return async (): Promise<OutboxEvent[]> => {
    await untilIdle(database, now)
    const rows = await database.reader.query<OutboxEvent & { id: string }>(({ knex }) =>
      knex('outbox').select('id', 'type', 'object', 'record_id', 'silent', 'payload', 'actor').orderBy('id'),
    )
    const fresh = rows.filter(({ id }) => !seen.has(id))
    for (const { id } of fresh) seen.add(id)
    return fresh.map(({ id: _id, ...event }) => event)
  }
}

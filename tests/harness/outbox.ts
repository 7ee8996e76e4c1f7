import type { TestDatabase } from './database.ts'
import type { Json } from './http.ts'

export type OutboxEvent = { readonly type: string; readonly object: string; readonly record_id: string; readonly silent: boolean; readonly payload: Json; readonly actor: Json }

/** Everything that is stored of requests under their keys, as text: what must not be readable there. */
export const storedAnswersOf = (database: TestDatabase) => async (): Promise<string> =>
  JSON.stringify(await database.reader.query(({ knex }) => knex('idempotency').select('*')))

const columns = ['id', 'type', 'object', 'record_id', 'silent', 'payload', 'actor']

/** Those that have no number yet, and those that have. */
const allEvents = (database: TestDatabase): Promise<(OutboxEvent & { id: string })[]> =>
  database.reader.query(({ knex }) => knex('outbox').select(columns).unionAll(knex('event').select(columns)).orderBy('id'))

/** The ids of a record's events. */
export const eventIdsOf = (database: TestDatabase) => async (recordId: string): Promise<string[]> =>
  (await allEvents(database)).filter(({ record_id }) => record_id === recordId).map(({ id }) => id)

/**
 * What has happened since it was last asked, oldest first. No endpoint shows events yet, and "nothing happened" is half
 * of what a test of a write says.
 */
export function eventsOf(database: TestDatabase) {
  const seen = new Set<string>()
  return async (): Promise<OutboxEvent[]> => {
    const rows = await allEvents(database)
    const fresh = rows.filter(({ id }) => !seen.has(id))
    for (const { id } of fresh) seen.add(id)
    return fresh.map(({ id: _id, ...event }) => event)
  }
}

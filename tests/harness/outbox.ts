import { setTimeout as sleep } from 'node:timers/promises'
import { eventDefinitions } from '@kontor/contract'
import type { TestDatabase } from './database.ts'
import type { Json } from './http.ts'
import { until } from './until.ts'

export type OutboxEvent = {
  readonly type: string
  readonly object: string
  readonly record_id: string
  readonly silent: boolean
  readonly payload: Json
  readonly actor: Json
}

/** Everything that is stored of requests under their keys, as text: what must not be readable there. */
export const storedAnswersOf = (database: TestDatabase) => async (): Promise<string> =>
  JSON.stringify(await database.reader.query(({ knex }) => knex('idempotency').select('*')))

/** The ids of a record's events. */
export const eventIdsOf =
  (database: TestDatabase) =>
  async (recordId: string): Promise<string[]> =>
    (
      await database.reader.query<{ id: string }>(({ knex }) => {
        const ofRecord = (table: string) => knex(table).select('id').where('record_id', recordId)
        return ofRecord('outbox').unionAll(ofRecord('event')).orderBy('id')
      })
    ).map(({ id }) => id)

const columns = ['id', 'type', 'object', 'record_id', 'silent', 'payload', 'actor']

/** The changes of the events of a table, which are in the feed of their subject. */
const changesIn = (table: 'outbox' | 'event'): string =>
  `(select diff from activity as a where a.workspace_id = ${table}.workspace_id and a.id = ${table}.id) as diff`

type Stored<T> = T & { readonly diff: Json }

const definitions: Readonly<Record<string, { readonly payload: { readonly shape: object } } | undefined>> =
  eventDefinitions

/** An event with its changes where its payload shows them. */
const withChanges = <T extends { readonly type: string; readonly payload: Json }>({ diff, ...event }: Stored<T>) => ({
  ...event,
  payload: 'diff' in (definitions[event.type]?.payload.shape ?? {}) ? { diff, ...event.payload } : event.payload,
})

/** Jobs whose events are those of a request. */
const awaited = ['schemas.change']

/**
 * Starts the jobs if there are some that a request has left, and waits for them. What is only cleaned up is not waited
 * for.
 */
export async function untilIdle(database: TestDatabase, startJobs: () => Promise<void>): Promise<void> {
  const isBusy = async () =>
    (
      await database.reader.query(({ knex }) =>
        knex('job').select('id').whereIn('kind', awaited).whereNull('ended_at').limit(1),
      )
    ).length > 0
  while (await isBusy()) {
    await startJobs()
    await sleep(5)
  }
}

/** An event with its number in the log of its workspace. */
export type LoggedRow = Omit<OutboxEvent, 'silent' | 'actor'> & { readonly sequence: number }

/** The log of a workspace as it is stored, once everything that was committed has its number. */
export function numberedOf(database: TestDatabase) {
  const untilNumbered = async (workspaceId: string): Promise<void> => {
    const waiting = () =>
      database.reader.query(({ knex }) => knex('outbox').select('id').where('workspace_id', workspaceId).limit(1))
    await until(async () => (await waiting()).length === 0, { what: 'numbers of all events' })
  }
  const end = async (workspaceId: string): Promise<number> => {
    await untilNumbered(workspaceId)
    const [head] = await database.reader.query<{ last_sequence: number }>(({ knex }) =>
      knex('event_head').select('last_sequence').where('workspace_id', workspaceId),
    )
    return head?.last_sequence ?? 0
  }
  const since = async (workspaceId: string, after: number): Promise<LoggedRow[]> => {
    await untilNumbered(workspaceId)
    const rows = await database.reader.query<Stored<LoggedRow>>(({ knex }) =>
      knex('event')
        .select('sequence', 'type', 'object', 'record_id', 'payload', knex.raw(changesIn('event')))
        .where('workspace_id', workspaceId)
        .where('sequence', '>', after)
        .orderBy('sequence'),
    )
    return rows.map(withChanges)
  }
  return { end, since }
}

async function readEvents(database: TestDatabase, ids: readonly string[]): Promise<OutboxEvent[]> {
  const rows = await database.reader.query<Stored<OutboxEvent>>(({ knex, dialect }) => {
    const among = (table: 'outbox' | 'event') =>
      knex(table)
        .select([...columns, knex.raw(changesIn(table))])
        .where(dialect.oneOf('id', ids))
    return knex
      .select([...columns.slice(1), 'diff'])
      .from(among('outbox').unionAll(among('event')).as('e'))
      .orderBy('e.id')
  })
  return rows.map(withChanges)
}

/** The number of events, and the newest. */
const stateOfEvents = async (database: TestDatabase): Promise<string> =>
  JSON.stringify(
    await database.reader.query(({ knex }) =>
      knex.unionAll(
        ['outbox', 'event'].map((table) =>
          knex(table)
            .count('* as total')
            .max({ newest: knex.raw('cast(id as varchar)') }),
        ),
      ),
    ),
  )

/** The events since the last call, oldest first. "Nothing happened" is half of what a test of a write says. */
export function eventsOf(database: TestDatabase, startJobs: () => Promise<void>) {
  const seen = new Set<string>()
  let last = ''
  return async (): Promise<OutboxEvent[]> => {
    await untilIdle(database, startJobs)
    // Those that have no number yet, and those that have. There are thousands, and mostly nothing has happened.
    const state = await stateOfEvents(database)
    if (state === last) return []
    last = state
    const all = await database.reader.query<{ id: string }>(({ knex }) =>
      knex('outbox').select('id').unionAll(knex('event').select('id')),
    )
    const fresh = all.map(({ id }) => id).filter((id) => !seen.has(id))
    for (const id of fresh) seen.add(id)
    return fresh.length === 0 ? [] : readEvents(database, fresh)
  }
}

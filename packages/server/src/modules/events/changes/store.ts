import type { Knex } from 'knex'
import { eventDefinitions } from '@kontor/contract'
import type { Sql } from '../../../db/sql.ts'
import type { LoggedPayload } from '../logged-event.ts'

// The changes of an event are stored once, in its row of the feed (`activity`): rows of the log are numbered and kept
// for thirty days without them, and read with them (0031). Rows of before have their own.

const typesWithChanges: ReadonlySet<string> = new Set(
  Object.entries(eventDefinitions).flatMap(([type, { payload }]) => ('diff' in payload.shape ? [type] : [])),
)

/** The types of events whose payload has changes, which a feed shows. */
export const changeTypes: readonly string[] = [...typesWithChanges]

/** Returns a payload as the log stores it: without the changes, which are stored with the feed. */
export function withoutChanges<T extends object>(type: string, payload: T): Omit<T, 'diff'> {
  if (!typesWithChanges.has(type) || !('diff' in payload)) return payload
  const { diff: _, ...rest } = payload
  return rest
}

/** Selects the changes of the events of a table or an alias: one lookup for each event, in whatever order they come. */
export const changesIn = ({ knex }: Sql, workspaceId: string, events: string): Knex.QueryBuilder =>
  knex('activity')
    .select('activity.diff')
    .where('activity.workspace_id', workspaceId)
    .where('activity.id', knex.ref(`${events}.id`))
    .limit(1)
    .as('diff')

/** A row of the log, with the changes from its row of the feed; null if no feed has it, or has it any more. */
export type Stored<T> = Omit<T, 'payload'> & {
  readonly payload: LoggedPayload
  readonly diff: LoggedPayload['diff'] | null
}

/** Returns an event with its changes in its payload; those of a purged record are none. */
export function withChanges<T extends { readonly type: string; readonly payload: LoggedPayload }>({
  diff,
  ...event
}: T & { readonly diff: LoggedPayload['diff'] | null }): Omit<T, 'diff'> {
  const { type, payload } = event
  if (payload.diff !== undefined || !typesWithChanges.has(type)) return event
  return { ...event, payload: { ...payload, diff: diff ?? [] } }
}

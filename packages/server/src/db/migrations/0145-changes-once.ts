import type { DialectName, Migration } from './words.ts'

/** The types of events whose payload had the changes, as they were when this was released. */
const types = [
  ...['created', 'updated', 'merged'].map((verb) => `record.${verb}`),
  ...['entry_added', 'entry_removed'].map((verb) => `list.${verb}`),
  ...['comment', 'schema'].flatMap((noun) => ['created', 'updated', 'deleted'].map((verb) => `${noun}.${verb}`)),
  ...['created', 'deleted'].map((verb) => `attachment.${verb}`),
  ...['granted', 'updated', 'revoked'].map((verb) => `access.${verb}`),
]

const copied: Readonly<Record<DialectName, string>> = {
  // Citus refuses jsonb_build_object there, which is stable only.
  postgres: "jsonb_set(payload, '{diff}', activity.diff::jsonb)",
  sqlite: "json_set(payload, '$.diff', json(activity.diff))",
}

/** Copies the changes from the feed into the events that have none of their own. */
const copyBack = (table: 'event' | 'outbox', dialect: DialectName): string =>
  `update ${table} set payload = ${copied[dialect]} from activity
    where activity.workspace_id = ${table}.workspace_id and activity.id = ${table}.id
      and ${table}.type in (${types.map((type) => `'${type}'`).join(', ')}) and payload -> 'diff' is null`

/**
 * The changes of an event are read from its row of the feed, found by the event's id (0031). Events of before keep
 * those of their own, until they are removed after thirty days.
 */
export const migration: Migration = {
  name: '0145-changes-once',
  up: () => ['create index activity_event on activity (workspace_id, id)'],
  down: ({ dialect }) => [
    ...(['event', 'outbox'] as const).map((table) => copyBack(table, dialect)),
    'drop index activity_event',
  ],
}

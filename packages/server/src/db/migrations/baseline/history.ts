import type { Words } from '../words.ts'

const feeds = ({ document, integer, json, text, timestamp, uuid, wide }: Words): string[] => [
  // One row per event. Rows with one `position` form an activity; positions of a record go from 1 up without gaps,
  // so that the highest is the total and a page is a range of the key.
  `create table activity (
    workspace_id ${uuid} not null,
    record_id ${uuid} not null,
    position ${integer} not null,
    place ${integer} not null,
    id ${uuid} not null,
    type ${text} not null,
    object ${text} not null,
    actor_id ${text} not null,
    actor_entity ${text} not null,
    source_id ${text},
    diff ${document} not null,
    began_at ${timestamp} not null,
    created_at ${timestamp} not null,
    run_id ${uuid},
    list_id ${uuid},
    on_behalf_of ${json},
    primary key (workspace_id, record_id, position, place)
  ) ${wide}`,
  `create index activity_schema on activity (workspace_id, began_at, record_id, position) where object = 'schema'`,
  // A run is undone from its end to its beginning.
  `create index activity_of_run on activity (workspace_id, run_id, created_at, record_id, position, place)
    where run_id is not null`,
  'create index activity_of_list on activity (workspace_id, record_id, list_id) where list_id is not null',
]

/** Microseconds since 1970 by the clock of the database, which all nodes share. */
const nowMicroseconds = {
  postgres: '(extract(epoch from clock_timestamp()) * 1000000)::bigint',
  sqlite: "cast(unixepoch('subsec') * 1000000 as integer)",
}

const log = ({ boolean, dialect, integer, json, narrow, text, timestamp, uuid, wide }: Words): string[] => [
  `create table outbox (
    workspace_id ${uuid} not null,
    written_us ${integer} not null default (${nowMicroseconds[dialect]}),
    id ${uuid} not null,
    type ${text} not null,
    object ${text},
    record_id ${uuid},
    actor ${json} not null,
    silent ${boolean} not null,
    payload ${json} not null,
    created_at ${timestamp} not null,
    primary key (workspace_id, written_us, id)
  ) ${wide}`,
  // Events in the order of their numbers. Where writers run concurrently they write to the outbox, and committed
  // events move into the log; updating them in place would cost twice as much, and leave the dead rows in a large
  // table.
  `create table event (
    workspace_id ${uuid} not null,
    sequence ${integer} not null,
    id ${uuid} not null,
    type ${text} not null,
    object ${text},
    record_id ${uuid},
    actor ${json} not null,
    silent ${boolean} not null,
    payload ${json} not null,
    created_at ${timestamp} not null,
    primary key (workspace_id, sequence)
  ) ${wide}`,
  'create index event_record on event (workspace_id, record_id, sequence)',
  `create table event_head (
    workspace_id ${uuid} not null,
    last_sequence ${integer} not null,
    primary key (workspace_id)
  ) ${narrow}`,
  // How far a consumer has read the log of a workspace: the sequence number of an event.
  `create table event_cursor (
    workspace_id ${uuid} not null,
    consumer ${text} not null,
    sequence ${integer} not null,
    primary key (workspace_id, consumer)
  ) ${narrow}`,
  // The watermark of each workspace, up to which readers have seen all changes; every new change gets a later
  // timestamp.
  `create table horizon (
    workspace_id ${uuid} not null,
    told_until ${timestamp} not null,
    primary key (workspace_id)
  ) ${narrow}`,
]

/** The history of records, and the log of events. */
export const historyTables = (words: Words): string[] => [...feeds(words), ...log(words)]

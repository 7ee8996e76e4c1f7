import type { Migration } from './words.ts'

/** Which run of an agent an event comes from, and how far runs have been undone. */
export const migration: Migration = {
  name: '0043-agents',
  up: ({ uuid, boolean, text, json, document, integer, timestamp, wide }) => [
    `alter table activity add column run_id ${uuid}`,
    // A run is undone from its end to its beginning.
    `create index activity_of_run on activity (workspace_id, run_id, created_at, record_id, position, place)
      where run_id is not null`,
    `create table agent_undo (
      workspace_id ${uuid} not null,
      run_id ${uuid} not null,
      undo_state ${text} not null,
      actor ${json} not null,
      silent ${boolean} not null,
      undone_to ${json},
      events_seen ${integer} not null,
      events_reverted ${integer} not null,
      conflicts ${document} not null,
      conflict_count ${integer} not null,
      created_at ${timestamp} not null,
      created_by ${uuid} not null,
      ended_at ${timestamp},
      primary key (workspace_id, run_id)
    ) ${wide}`,
  ],
  down: () => [
    "delete from job where kind = 'agents.undo'",
    'drop table agent_undo',
    'drop index activity_of_run',
    'alter table activity drop column run_id',
  ],
}

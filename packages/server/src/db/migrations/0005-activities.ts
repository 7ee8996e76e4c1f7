import type { Migration, Words } from './words.ts'

/**
 * One row per event. Rows with one `position` form an activity; positions of a record go from 1 up without gaps, so
 * that the highest is the total and a page is a range of the key. The old table was never written to.
 */
const activities = ({ uuid, text, integer, document, timestamp, wide }: Words): string[] => [
  'drop table activity',
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
    primary key (workspace_id, record_id, position, place)
  ) ${wide}`,
]

const comments = ({ uuid, text, json, document, timestamp, wide }: Words): string[] => [
  `create table comment (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    record_id ${uuid} not null,
    object ${text} not null,
    message ${document} not null,
    mentions ${json} not null,
    created_at ${timestamp} not null,
    created_by ${uuid} not null,
    updated_at ${timestamp},
    updated_by ${uuid},
    primary key (workspace_id, id)
  ) ${wide}`,
  // Purging and merging select by record.
  'create index comment_record on comment (workspace_id, record_id, id)',
]

const activitiesBefore = ({ uuid, text, json, timestamp, wide }: Words): string =>
  `create table activity (
    workspace_id ${uuid} not null,
    record_id ${uuid} not null,
    id ${uuid} not null,
    type ${text} not null,
    object ${text} not null,
    actor ${json} not null,
    diff ${json},
    created_at ${timestamp} not null,
    primary key (workspace_id, record_id, id)
  ) ${wide}`

export const migration: Migration = {
  name: '0005-activities',
  up: (words) => [...activities(words), ...comments(words)],
  down: (words) => ['drop table comment', 'drop table activity', activitiesBefore(words)],
}

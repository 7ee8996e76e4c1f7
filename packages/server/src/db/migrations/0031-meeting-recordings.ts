import type { Migration } from './words.ts'

/** Recordings of meetings, with what was said. */
export const migration: Migration = {
  name: '0031-meeting-recordings',
  up: ({ uuid, text, integer, timestamp, document, wide }) => [
    `create table meeting_recording (
       workspace_id ${uuid} not null,
       id ${uuid} not null,
       meeting_id ${uuid} not null,
       source ${text} not null,
       transcript ${document} not null,
       ends_after_ms ${integer} not null,
       created_at ${timestamp} not null,
       created_by ${uuid} not null,
       updated_at ${timestamp} not null,
       primary key (workspace_id, id)
     ) ${wide}`,
    'create index meeting_recording_meeting on meeting_recording (workspace_id, meeting_id, id)',
  ],
  down: () => ['drop table meeting_recording'],
}

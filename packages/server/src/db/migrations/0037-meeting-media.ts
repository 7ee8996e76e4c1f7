import type { Migration } from './words.ts'

/** Sound and film of recordings, and what of them is still to come; what was said, to be searched. */
export const migration: Migration = {
  name: '0037-meeting-media',
  up: ({ uuid, text, integer, wide }) => [
    `alter table meeting_recording add column upload_id ${uuid}`,
    `alter table meeting_recording add column media_id ${uuid}`,
    `create table transcript_segment (
       workspace_id ${uuid} not null,
       recording_id ${uuid} not null,
       place ${integer} not null,
       meeting_id ${uuid} not null,
       speaker ${text},
       said ${text} not null,
       searched ${text} not null,
       starts_after_ms ${integer},
       primary key (workspace_id, recording_id, place)
     ) ${wide}`,
    'create index transcript_segment_meeting on transcript_segment (workspace_id, meeting_id)',
  ],
  down: () => [
    'drop table transcript_segment',
    'alter table meeting_recording drop column media_id',
    'alter table meeting_recording drop column upload_id',
  ],
}

import type { Migration } from './words.ts'

/** The events of one record, in order. */
export const migration: Migration = {
  name: '0028-events-of-records',
  up: () => ['create index event_record on event (workspace_id, record_id, sequence)'],
  down: () => ['drop index event_record'],
}

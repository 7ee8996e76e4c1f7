import type { Migration } from './words.ts'

/** Participants become persons with the change that names them: no job is left to it. */
export const migration: Migration = {
  name: '0071-people-at-once',
  up: () => ["delete from job where kind = 'meetings.people'"],
  down: () => [],
}

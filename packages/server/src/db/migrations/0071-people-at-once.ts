import type { Migration } from './words.ts'

/** Participants become persons with the change that names them; the jobs that were pending are done as before. */
export const migration: Migration = { name: '0071-people-at-once', up: () => [], down: () => [] }

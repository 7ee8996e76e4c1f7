import type { Migration } from './words.ts'

/** Lists follow the log like its other consumers, without a job (0086). */
export const migration: Migration = {
  name: '0155-lists-without-a-job',
  up: () => ["delete from job where kind = 'lists.follow'"],
  down: () => [],
}

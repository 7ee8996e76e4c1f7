import { gatherStatistics, workspacesIn } from './spread-queries.ts'
import type { Migration } from './words.ts'

/**
 * The two questions that a distributed Postgres answers in another way (db/distribution): the database knows which way
 * is its own, so a server need not notice that its tables were distributed meanwhile.
 */
export const migration: Migration = {
  name: '0090-workspaces-in',
  up: ({ dialect }) => (dialect === 'postgres' ? [workspacesIn.plain, gatherStatistics.plain] : []),
  down: ({ dialect }) =>
    dialect === 'postgres'
      ? [
          'drop function if exists kontor_workspaces_here(text)',
          'drop function kontor_workspaces_in(text)',
          'drop function kontor_gather_statistics(text, uuid)',
        ]
      : [],
}

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Which tests run when and on which database: docs/decisions/0141. All are globs below `tests`. */

/** What needs no database. */
export const frame = 'frame/**/*.test.ts'

/**
 * Tests that kill servers or flood them, write for minutes, drive a browser, or start a process for each step: not part
 * of `npm test`.
 */
export const long = '**/*.long.test.ts'

/** Tests of two sizes, by `harness/size.ts`: `npm test` runs the small one, the long tests the full one. */
export const sized = globSync('*/*.test.ts', { cwd: import.meta.dirname }).filter((path) =>
  readFileSync(join(import.meta.dirname, path), 'utf8').includes('harness/size.ts'),
)

/** What speaks HTTP alone: on the embedded database, and once is enough. */
export const sqliteAlone = [
  'guides/*.test.ts',
  'cli/import*.test.ts',
  'cli/records-*.test.ts',
  'cli/help.test.ts',
  'cli/terminal.test.ts',
  'server/flood.long.test.ts',
  'fuzz/wire.test.ts',
]

/**
 * What is decided before the database is asked, what asks it nothing that other files of its domain do not ask, and
 * programs that differ by their database in its URL alone: `npm test` runs it on the embedded database, the long tests
 * on Postgres.
 */
export const sqliteFirst = [
  'activities/pages.test.ts',
  'agents/{hostile,model,undo}.test.ts',
  'api-keys/*.test.ts',
  'attachments/bytes.test.ts',
  'auth/*.test.ts',
  'campaigns/{addresses,letters}.test.ts',
  'cli/*.test.ts',
  'client/*.test.ts',
  'conformance/{apps,authorisation,bodies,credentials,dry-run,errors,events,headers}.test.ts',
  'conformance/{idempotency,methods,parameters,parity,rate-limit,versions}.test.ts',
  'contract/*.test.ts',
  'emails/{attachments,exits,machines,retention,tracking,workers}.test.ts',
  'fuzz/fuzz.test.ts',
  'invitations/unverified.test.ts',
  'lists/csv.test.ts',
  'meetings/{calendar,media,notetaker}.test.ts',
  'notifications/{kinds,outside,silent}.test.ts',
  'oauth/*.test.ts',
  'properties/scopes.test.ts',
  'resources/long-pages.test.ts',
  'schemas/{describe,keywords,narrowed}.test.ts',
  'server/{compression,cross-origin,guides,lifecycle,metrics}.test.ts',
  'sign-in/*.test.ts',
  'workflows/{agents-apart,branches,definitions,exits-and-waits,graph-faults,loops,templates,time-zones}.test.ts',
]

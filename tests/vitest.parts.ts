import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Which tests run when and on which database: docs/decisions/0141. All are globs below `tests`. */

/** Tests that need no database. */
export const frame = 'frame/**/*.test.ts'

/**
 * Tests that kill servers or flood them, write for minutes, drive a browser, or start a process for each step: not part
 * of `npm test`.
 */
export const long = '**/*.long.test.ts'

/** Tests that need Citus beside Postgres: `npm run test:citus`, with all that runs on Postgres, and the long ones. */
export const citus = 'citus/*.test.ts'

/** Tests of two sizes, by `harness/size.ts`: `npm test` runs the small one, the long tests the full one. */
export const sized = globSync('*/*.test.ts', { cwd: import.meta.dirname }).filter((path) =>
  readFileSync(join(import.meta.dirname, path), 'utf8').includes('harness/size.ts'),
)

/** Tests that only speak HTTP: on the embedded database, and once is enough. */
export const sqliteAlone = [
  'guides/*.test.ts',
  'cli/import*.test.ts',
  'cli/records-*.test.ts',
  'exports/restore.test.ts',
  'exports/restore-kills.long.test.ts',
  'cli/help.long.test.ts',
  'cli/terminal.long.test.ts',
  'server/flood.long.test.ts',
  'server/read-only.test.ts',
  'server/restore.long.test.ts',
  'fuzz/wire.test.ts',
]

/**
 * Tests of what is decided before the database is asked, or that ask it nothing that other files of their domain do not
 * ask, and of programs whose only difference by database is the URL: `npm test` runs them on the embedded database, the
 * long tests on Postgres.
 */
export const sqliteFirst = [
  'access/{create,createMany,explain,hidden,list,lists,merge,merge-dry-run,merge-open-objects}.test.ts',
  'access/{objects,remove,replay,update,visibility}.test.ts',
  'activities/{pages,positions,schemas}.test.ts',
  'agents/*.test.ts',
  'api-keys/*.test.ts',
  'attachments/{attachments,bytes}.test.ts',
  'auth/*.test.ts',
  'campaigns/{addresses,letters,merging,pacing,progress,sorting}.test.ts',
  'cli/*.test.ts',
  'client/*.test.ts',
  'comments/{get,update}.test.ts',
  'conformance/{apps,authorisation,bodies,credentials,dry-run,errors,events,headers,hidden-records}.test.ts',
  'conformance/{idempotency,ignored-options,messages,methods,parameters,parity,rate-limit}.test.ts',
  'conformance/{references,spec-endpoints,versions}.test.ts',
  'contract/*.test.ts',
  'emails/{attachments,copies,daily-bound,exits,inbound,list,machines,retention,send}.test.ts',
  'emails/{tracking,workers}.test.ts',
  'events/{operator,stream,withdrawn}.test.ts',
  'fuzz/fuzz.test.ts',
  'invitations/*.test.ts',
  'layouts/*.test.ts',
  'limits/*.test.ts',
  'lists/{change,csv,hidden-events,hostile-sql,list,permissions,rights,round-trip,schemas,static}.test.ts',
  'mcp/{endpoint,markdown,oauth,prompts,verbs}.test.ts',
  'meetings/{calendar,calendar-instances,media,notetaker,recording,transcripts}.test.ts',
  'notifications/{kinds,outside,silent}.test.ts',
  'oauth/*.test.ts',
  'properties/{bulk-each,clocks,recovery,scopes,stored-filters,visibility,workflow-conditions}.test.ts',
  'records/{access,addresses,blank-texts,bulk-each-faults,forms,merge-links,merge-refused}.test.ts',
  'records/{merge-sources,participants,phone-numbers,restore,restore-references,upsert-values}.test.ts',
  'relationships/{counts,included-anew}.test.ts',
  'requests/*.test.ts',
  'resources/{collections,create,explain,fair-scans,get,long-pages,name-parts,stats}.test.ts',
  'schemas/{add-properties,create,create-refused,describe,keywords,narrowed,nodes,plan,presentation,read}.test.ts',
  'schemas/{relationships,replace-fields}.test.ts',
  'schemas/{replace,replace-built-in,replace-refused,replace-rules,spellings,values}.test.ts',
  'server/{arrivals,compression,trpc-links,cross-origin,guides,lifecycle,metrics,upkeep-faults}.test.ts',
  'settings/settings.test.ts',
  'sign-in/*.test.ts',
  'users/{made,update,users}.test.ts',
  'webhooks/{create,delivery-keys,events,schemas,sending,warnings,withheld}.test.ts',
  'workflows/{acting,agents-apart,blocks,branches,chains-in-jobs,definitions,exits-and-waits,for-each}.test.ts',
  'workflows/{graph-faults,inbound,leaving,links,remains,restored}.test.ts',
  'workflows/{literals,loops,messages,records-by-value,rights,run-changes,schemas,templates,time-zones}.test.ts',
  'workflows/{inbound-requests,triggers,who-did-it,withheld}.test.ts',
]

/**
 * Tests of what the stricter database refuses or orders, and of several processes or requests at the same time, which
 * come one after another on the other: `npm test` runs them on Postgres, the long tests on both.
 */
export const postgresFirst = [
  'conformance/sorting.test.ts',
  'db/sent-statements.test.ts',
  'engine/consumers.test.ts',
  'exports/bundle.test.ts',
  'properties/{evolution,hostile,relationships,walks}.test.ts',
  'schemas/replace-queued.test.ts',
  'server/replicas.test.ts',
  'users/other-nodes.test.ts',
]

/** Settings of the quick tests. */
export const quick = {
  // Two cores: a third worker is at work while others wait for leases and time limits; a fourth would make limits
  // fail.
  maxWorkers: 3,
  // Loading the server again for each file took two fifths of the time; no file leaves anything behind in it.
  isolate: false,
  // Node strips the types by itself, in an eighth less time than Vite transforms the modules.
  // And without Vitest's hooks, which mock modules: no test does.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  // They end what hangs, and judge nothing.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000, interval: 20 } },
  provide: { size: 'small' as const },
}

import { defineConfig } from 'vitest/config'
import { hasCitus } from './harness/citus.ts'
import { useMemoryFolder } from './harness/memory-folder.ts'
import { frame, long, quick, sqliteAlone } from './vitest.parts.ts'

useMemoryFolder()

/**
 * Tests of the tables as they are on plain Postgres, and those whose tools Citus refuses: triggers, locks in shards,
 * views in the place of tables.
 */
const plainTables = [
  'db/{distribute,migrations,schema,upgrades}.test.ts',
  'db/plans.test.ts',
  'db/transactions.test.ts',
  'db/unread-events.test.ts',
  'harness/database.test.ts',
  'imports/statistics.test.ts',
  'records/{links-by-keys,waited-behind-schemas}.test.ts',
  'relationships/one-to-one.test.ts',
  'search/{documents,unindexed-documents}.test.ts',
  'server/{lost-node,lost-node-work}.test.ts',
  'server/upkeep-faults.test.ts',
]

/** Work of many steps, in jobs and in bulk, which does the same on a coordinator with two nodes. */
const onThreeNodes = [
  'attachments/bytes.test.ts',
  'campaigns/{counted,recipients,totals}.test.ts',
  'client/browser-example.long.test.ts',
  'imports/{create,revert}.test.ts',
  'lists/{change,evaluation}.test.ts',
  'records/{bulk,merge,purge,restore}.test.ts',
  'resources/long-pages.test.ts',
  'schemas/{remove,replace,uniqueness}.test.ts',
  'search/query.test.ts',
  'webhooks/sending.test.ts',
  'workflows/{one-commit,runs,triggers}.test.ts',
]

const isHere = hasCitus()

const tellAbsence = {
  onInit: () =>
    void (isHere || process.stderr.write('No citus.control beside the Postgres that was found: nothing is tested.\n')),
}

/**
 * The part of the suite that runs on Postgres, with its tables distributed over the one node of a Citus cluster, and
 * some of it on three nodes.
 */
export default defineConfig({
  test: {
    ...quick,
    passWithNoTests: true,
    reporters: ['default', tellAbsence],
    projects: [
      {
        extends: true,
        test: {
          name: 'postgres-citus',
          setupFiles: ['./harness/clean-up.ts', './harness/one-shard.ts'],
          include: isHere ? ['**/*.test.ts'] : [],
          exclude: [...plainTables, frame, long, 'clients/**', '**/node_modules/**', ...sqliteAlone],
          provide: { database: 'postgres' },
          globalSetup: './harness/citus-cluster.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres-citus-nodes',
          setupFiles: ['./harness/clean-up.ts', './harness/one-shard.ts'],
          include: isHere ? onThreeNodes : [],
          exclude: ['**/node_modules/**'],
          provide: { database: 'postgres' },
          globalSetup: './harness/citus-three-nodes.ts',
        },
      },
    ],
  },
})

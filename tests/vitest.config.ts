import { defineConfig } from 'vitest/config'

const frame = 'frame/**/*.test.ts'
/** Those of `vitest.long.config.ts`. */
const longTests = '**/*.long.test.ts'
const databaseTests = {
  setupFiles: ['./harness/clean-up.ts'],
  include: ['**/*.test.ts'],
  exclude: [frame, longTests, 'clients/**', '**/node_modules/**'],
}

/**
 * What speaks HTTP alone, or floods a server before its database is asked: on the embedded database, and once is
 * enough.
 */
const overHttp = [
  'cli/import*.test.ts',
  'cli/records-*.test.ts',
  'cli/help.test.ts',
  'cli/terminal.test.ts',
  'server/flood.test.ts',
  'fuzz/wire.test.ts',
]

/** The same files run on both databases; what needs none (pure helpers, the frame itself) runs once. */
export default defineConfig({
  test: {
    // Two cores: a third worker is at work while others wait for leases and time limits; a fourth would make limits
    // fail.
    maxWorkers: 3,
    // Loading the server again for each file took two fifths of the time; no file leaves anything behind in it.
    isolate: false,
    testTimeout: 40_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        root: '..',
        test: { name: 'unit', include: ['packages/**/*.test.ts', `tests/${frame}`] },
      },
      {
        extends: true,
        test: { name: 'sqlite', ...databaseTests, provide: { database: 'sqlite' } },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          ...databaseTests,
          exclude: [...databaseTests.exclude, ...overHttp],
          provide: { database: 'postgres' },
          globalSetup: './harness/postgres-cluster.ts',
        },
      },
    ],
  },
})

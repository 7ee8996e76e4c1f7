import { defineConfig } from 'vitest/config'

const longTests = {
  setupFiles: ['./harness/clean-up.ts'],
  include: ['**/*.long.test.ts'],
  exclude: ['**/node_modules/**'],
}

/**
 * The long series: the same files on both databases, one after another, since each starts servers that it loads to the
 * brim.
 */
export default defineConfig({
  test: {
    maxWorkers: 1,
    isolate: false,
    // Each test says how long it takes; this is for one that hangs.
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    disableConsoleIntercept: true,
    projects: [
      {
        extends: true,
        test: { name: 'sqlite', ...longTests, provide: { database: 'sqlite' } },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          ...longTests,
          provide: { database: 'postgres' },
          globalSetup: './harness/postgres-cluster.ts',
        },
      },
    ],
  },
})

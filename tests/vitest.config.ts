import { defineConfig } from 'vitest/config'
import { GateReporter } from './gate-reporter.ts'
import { useMemoryFolder } from './harness/memory-folder.ts'
import { citus, frame, long, postgresFirst, sqliteAlone, sqliteFirst } from './vitest.parts.ts'

useMemoryFolder()

const databaseTests = {
  setupFiles: ['./harness/clean-up.ts'],
  include: ['**/*.test.ts'],
  exclude: [frame, long, citus, 'clients/**', '**/node_modules/**'],
}

/** The same files run on both databases; what needs none (pure helpers, the frame itself) runs once. */
export default defineConfig({
  test: {
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
    // A test that passes on its second try is reported as flaky, and is a defect of the same day.
    retry: process.env['CI'] === undefined ? 0 : 1,
    reporters: ['default', new GateReporter()],
    provide: { size: 'small' },
    projects: [
      {
        extends: true,
        root: '..',
        test: {
          name: 'unit',
          include: ['packages/**/*.test.ts', `tests/${frame}`],
          exclude: [long, '**/node_modules/**'],
        },
      },
      {
        extends: true,
        test: {
          name: 'sqlite',
          ...databaseTests,
          exclude: [...databaseTests.exclude, ...postgresFirst],
          provide: { database: 'sqlite' },
          globalSetup: './harness/sqlite-folder.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          ...databaseTests,
          exclude: [...databaseTests.exclude, ...sqliteAlone, ...sqliteFirst],
          provide: { database: 'postgres' },
          globalSetup: './harness/postgres-cluster.ts',
        },
      },
    ],
  },
})

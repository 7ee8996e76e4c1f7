import { defineConfig } from 'vitest/config'
import { GateReporter } from './gate-reporter.ts'
import { useMemoryFolder } from './harness/memory-folder.ts'
import { citus, frame, long, postgresFirst, quick, sqliteAlone, sqliteFirst } from './vitest.parts.ts'

useMemoryFolder()

const databaseTests = {
  setupFiles: ['./harness/clean-up.ts'],
  include: ['**/*.test.ts'],
  exclude: [frame, long, citus, 'clients/**', '**/node_modules/**'],
}

/** The same files run on both databases; what needs none (pure helpers, the frame itself) runs once. */
export default defineConfig({
  test: {
    ...quick,
    // A test that passes on its second try is reported as flaky, and is a defect of the same day.
    retry: process.env['CI'] === undefined ? 0 : 1,
    reporters: ['default', new GateReporter()],
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

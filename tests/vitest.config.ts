import { defineConfig } from 'vitest/config'
import { useMemoryFolder } from './harness/memory-folder.ts'
import { frame, long, sqliteAlone, sqliteFirst } from './vitest.parts.ts'

useMemoryFolder()

const databaseTests = {
  setupFiles: ['./harness/clean-up.ts'],
  include: ['**/*.test.ts'],
  exclude: [frame, long, 'clients/**', '**/node_modules/**'],
}

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
    provide: { size: 'small' },
    projects: [
      {
        extends: true,
        root: '..',
        test: { name: 'unit', include: ['packages/**/*.test.ts', `tests/${frame}`] },
      },
      {
        extends: true,
        test: {
          name: 'sqlite',
          ...databaseTests,
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

import { defineConfig } from 'vitest/config'
import { citus, long, sized, sqliteAlone, sqliteFirst } from './vitest.parts.ts'

const longTests = {
  setupFiles: ['./harness/clean-up.ts'],
  include: [long, ...sized],
  exclude: ['**/node_modules/**'],
}

const seed = process.env['KONTOR_SEED'] ?? String(Date.now() % 2 ** 31)
const tellSeed = {
  onInit: () =>
    void process.stderr.write(
      `The seed of this run is ${seed}: KONTOR_SEED=${seed} before the same command repeats it.\n`,
    ),
}

/**
 * What `npm test` leaves out: the same files on both databases, one after another, since some start servers that they
 * load to the brim.
 */
export default defineConfig({
  test: {
    maxWorkers: 1,
    isolate: false,
    experimental: { viteModuleRunner: false },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 20 } },
    disableConsoleIntercept: true,
    reporters: ['default', tellSeed],
    env: { KONTOR_SEED: seed },
    provide: { size: 'full' },
    projects: [
      { extends: true, root: '..', test: { name: 'unit', include: [`packages/${long}`] } },
      {
        extends: true,
        test: {
          name: 'sqlite',
          ...longTests,
          exclude: [...longTests.exclude, citus],
          provide: { database: 'sqlite' },
          globalSetup: './harness/sqlite-folder.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          ...longTests,
          include: [...longTests.include, ...sqliteFirst],
          exclude: [...longTests.exclude, ...sqliteAlone],
          provide: { database: 'postgres' },
          globalSetup: './harness/postgres-cluster.ts',
        },
      },
    ],
  },
})

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { longRun } from '../harness/long-run.ts'
import { ownPostgres } from '../harness/own-postgres.ts'
import { terminateBackends } from '../harness/postgres.ts'
import { expectServersToSurvive } from './outages.ts'

const writers = 24
const terminatedEveryMs = 700

/** A pause in which the writers find the database as it is. */
const pauseMsMax = 1500

describe.runIf(inject('database') === 'postgres')('two servers under load lose and double nothing, and stay up', () => {
  test('while their connections are terminated again and again', async () => {
    const { rounds } = longRun(40)
    const app = await startApp()
    await expectServersToSurvive({
      app,
      writers,
      async outages() {
        for (let round = 1; round <= rounds; round++) {
          await sleep(terminatedEveryMs)
          await terminateBackends(app.databaseUrl)
        }
      },
    })
  })

  test.for(['stop', 'kill'] as const)('while Postgres is gone again and again, by %s', async (end) => {
    const { rounds, random } = longRun(8)
    const postgres = await ownPostgres()
    await expectServersToSurvive({
      app: await startApp({ databaseUrl: postgres.url }),
      writers,
      async outages() {
        for (let round = 1; round <= rounds; round++) {
          await sleep(random.between(100, pauseMsMax))
          await postgres[end]()
          await sleep(random.between(0, pauseMsMax))
          await postgres.start()
        }
      },
    })
  })
})

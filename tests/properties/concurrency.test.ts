import { describe, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { rounds } from '../harness/size.ts'
import { runAndReport } from './concurrency/bursts.ts'
import { makeObjects, peopleOf } from './concurrency/scenario.ts'

const app = await startApp()
await makeObjects(app)
await app.startJobs()
const people = await peopleOf(app)

const isExplained =
  'what clients are told who work at once, and what is there in the end, is what some serial order of their ' +
  'operations makes'

/**
 * KONTOR_ROUNDS=10000 takes six minutes on Postgres, and finds what is still wrong: creating item by item beside a
 * change of schemas or a deletion, once in some two hundred bursts (docs/decisions/0120).
 */
const operations = rounds(1_500, 120)
/** Where many are asked for, it takes as long as it takes. */
const limits = { timeout: 60_000 + operations * 400 }

test(`${isExplained}, on one server`, limits, () => runAndReport(app, { operations, people, nodes: [app.api.send] }))

// SQLite has one server, and no connection that another one can end.
describe.runIf(inject('database') === 'postgres')('on Postgres', async () => {
  const beside = await startApp({ beside: app })

  test(`${isExplained}, on two servers`, limits, async () => {
    await beside.startJobs()
    await runAndReport(app, { operations, people, nodes: [app.api.send, beside.api.send] })
  })

  test(`${isExplained}, while connections to the database are ended`, limits, () =>
    runAndReport(app, { operations, people, nodes: [app.api.send], isCutOff: true }),
  )
})

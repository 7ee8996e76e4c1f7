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
  'what clients are told who work at once, what the log of events says, and what is there in the end, is what some ' +
  'serial order of their operations makes'

/** Five minutes for each test on Postgres. */
const operations = rounds(10_000, 120)
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

import { describe, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { runAndReport } from './concurrency/bursts.ts'
import { makeObjects, peopleOf } from './concurrency/scenario.ts'

const app = await startApp()
await makeObjects(app)
await app.startJobs()
const people = await peopleOf(app)
const limits = { timeout: 4 * 3_600_000 }

test('10,000 operations at once are explained by a serial order, on one server', limits, () =>
  runAndReport(app, { operations: 10_000, people, nodes: [app.api.send] }),
)

// SQLite has one server, and no connection that another one can end.
describe.runIf(inject('database') === 'postgres')('on Postgres', async () => {
  const beside = await startApp({ beside: app })
  const nodes = [app.api.send, beside.api.send]

  test('10,000 operations at once are explained by a serial order, on two servers', limits, async () => {
    await beside.startJobs()
    await runAndReport(app, { operations: 10_000, people, nodes })
  })

  test(
    '10,000 operations at once are explained by a serial order, while connections to the database are ended',
    limits,
    () => runAndReport(app, { operations: 10_000, people, nodes, isCutOff: true }),
  )
})

import { inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { runAndReport } from './concurrency/bursts.ts'
import { makeObjects, peopleOf } from './concurrency/scenario.ts'

// Few operations, so that every run of the suite looks; `npm run test:long` does 10,000 on each database.
const app = await startApp()
const beside = await startApp({ beside: app })
await makeObjects(app)
const people = await peopleOf(app)

const isExplained =
  'what clients are told who work at once, and what is there in the end, is what some serial order of their operations makes'

test(`${isExplained}, on one server`, { timeout: 3_600_000 }, () =>
  runAndReport(app, { operations: 300, people, nodes: [app.api.send] }),
)

// SQLite has one server.
test.runIf(inject('database') === 'postgres')(`${isExplained}, on two servers`, { timeout: 3_600_000 }, () =>
  runAndReport(app, { operations: 300, people, nodes: [app.api.send, beside.api.send] }),
)

import { test } from 'vitest'
import { emptyDatabase } from '../harness/database.ts'
import { longRun } from '../harness/long-run.ts'
import { expectAnswersWhileStarting } from './early-calls.ts'

/** A first start with its sample data, on Postgres on a busy machine. */
const startMs = 30_000
const roundsByDefault = 12

test('every connection of many first starts is answered', { timeout: roundsByDefault * startMs }, async () => {
  const { rounds } = longRun(roundsByDefault)
  for (let round = 1; round <= rounds; round++) {
    const scratch = await emptyDatabase()
    await expectAnswersWhileStarting(scratch.url)
    await scratch.remove()
  }
})

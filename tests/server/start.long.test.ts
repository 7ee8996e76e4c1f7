import { test } from 'vitest'
import { emptyDatabase } from '../harness/database.ts'
import { longRun } from '../harness/long-run.ts'
import { expectAnswersWhileStarting } from './early-calls.ts'

test('every connection of many first starts is answered', async () => {
  const { rounds } = longRun(12)
  for (let round = 1; round <= rounds; round++) {
    const scratch = await emptyDatabase()
    await expectAnswersWhileStarting(scratch.url)
    await scratch.remove()
  }
})

import { test } from 'vitest'
import { emptyPlace } from '../harness/database.ts'
import { longRun } from '../harness/long-run.ts'
import { expectAnswersWhileStarting } from './early-calls.ts'

test('every connection of many first starts is answered', async () => {
  const { rounds } = longRun(12)
  for (let round = 1; round <= rounds; round++) {
    const place = await emptyPlace()
    await expectAnswersWhileStarting(place.url)
    await place.remove()
  }
})

import { test } from 'vitest'
import { hasSmallDisks, needsSmallDisk } from '../harness/small-disk.ts'
import { expectToSurviveFullDisk } from './full-disk.ts'

test.runIf(hasSmallDisks)(
  `a full disk refuses changes and nothing else, also to a server that was killed, until there is room${needsSmallDisk}`,
  { timeout: 180_000 },
  async () => {
    await expectToSurviveFullDisk(1)
  },
)

import { test } from 'vitest'
import { longRun } from '../harness/long-run.ts'
import { hasSmallDisks, needsSmallDisk } from '../harness/small-disk.ts'
import { expectToSurviveFullDisk } from './full-disk.ts'

test.runIf(hasSmallDisks)(
  'a server whose disk is full again and again, and that is killed each time, loses and doubles ' +
    `nothing${needsSmallDisk}`,
  async () => {
    const { rounds } = longRun(8)
    await expectToSurviveFullDisk(rounds)
  },
)

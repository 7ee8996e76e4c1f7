import { expect, inject, onTestFailed } from 'vitest'
import { Random } from './random.ts'
import { rounds as roundsOf, runSeed as seed } from './size.ts'

const testsFolder = '/tests/'

export type LongRun = { readonly seed: number; readonly rounds: number; readonly random: Random }

/** The parts of one run of a long test. It prints how to repeat the run when it begins, and again when it fails. */
export function longRun(roundsByDefault: number): LongRun {
  const rounds = roundsOf(roundsByDefault, roundsByDefault)
  const { testPath = '', currentTestName = '' } = expect.getState()
  const file = testPath.slice(testPath.lastIndexOf(testsFolder) + testsFolder.length)
  const run = `npm run test:long -- --project ${inject('database')} ${file}`
  const repeat = `KONTOR_SEED=${seed} KONTOR_ROUNDS=${rounds} ${run}`
  say(`${currentTestName}: ${rounds} rounds; to repeat them: ${repeat}`)
  onTestFailed(() => say(`${currentTestName} failed; to repeat it: ${repeat}`))
  return { seed, rounds, random: new Random(seed) }
}

/** A line for the person who watches the run. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`)

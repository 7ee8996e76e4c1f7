import { afterAll, afterEach } from 'vitest'
import { endAll } from './at-end.ts'
import { assertBound } from './bound-statements.ts'
import { removeScratch } from './scratch.ts'

// Runs for each test file, though all files of a worker share their modules.
afterEach(assertBound)
afterAll(assertBound)
afterAll(removeScratch)
afterAll(endAll)

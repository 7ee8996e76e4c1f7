import { afterAll } from 'vitest'
import { removeScratch } from './scratch.ts'

// Runs for each test file, though all files of a worker share their modules.
afterAll(removeScratch)

import { afterAll } from 'vitest'
import { assertOneShard } from './sent-to-shards.ts'

// Runs for each test file, though all files of a worker share their modules.
afterAll(assertOneShard)

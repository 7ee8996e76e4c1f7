#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Beside the packages, for no other program. Halves the time to the first line: 0.15 s of CPU instead of 0.3 s.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))
const { run } = await import('./program.ts')

// A reader that has seen enough (`kontor … | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

const code = await run(process.argv)
// `serve` and `worker` go on after their commands have returned, and set their own.
if (code !== 0) process.exitCode = code

#!/usr/bin/env node
import { run } from './program.ts'

// A reader that has seen enough (`kontor … | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

const code = await run(process.argv)
// `serve` goes on after its command has returned, and sets its own.
if (code !== 0) process.exitCode = code

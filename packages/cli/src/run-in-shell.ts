import { run, type Edition } from './program.ts'

/** Runs the command line of this process, and sets its exit code. */
export async function runInShell(edition: Edition): Promise<void> {
  // A reader that has seen enough (`kontor … | head`) is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
  const code = await run(process.argv, edition)
  // `serve` and `worker` go on after their commands have returned, and set their own.
  if (code !== 0) process.exitCode = code
}

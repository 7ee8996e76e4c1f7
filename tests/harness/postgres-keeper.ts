/**
 * Owns one Postgres cluster for as long as its standard input is open: starts it, prints its URL, and when the pipe
 * closes
 * stops it and removes its folder. A process of its own, because a test run that is killed cannot tidy up, but its
 * pipes close.
 * With `--keep FOLDER` the cluster lives there and stays for the next time; with `--log` the file `log` in its folder
 * has what it logs. All other arguments are settings.
 */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { PostgresServer } from './postgres-server.ts'

const { values: options, positionals: settings } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: 'string' }, log: { type: 'boolean' } },
})
const folder = options.keep ?? mkdtempSync(join(tmpdir(), 'kontor-pg-'))
const log = (chunk: Buffer): void => appendFileSync(join(folder, 'log'), chunk)
let server: PostgresServer | undefined

// Ctrl-C reaches the whole foreground group; the pipe alone decides, so that tests still running see an orderly end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

try {
  server = new PostgresServer(folder, settings, options.log === true ? log : undefined)
  await server.start()
  process.stdout.write(`${server.url}\n`)
  process.stdin.resume()
  await new Promise((resolve) => process.stdin.once('close', resolve).once('error', resolve))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  await server?.stop()
  if (options.keep === undefined) rmSync(folder, { recursive: true, force: true })
}

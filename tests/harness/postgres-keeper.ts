/**
 * Owns one Postgres cluster for as long as its standard input is open: starts it, prints its URL, and when the pipe closes
 * stops it and removes its folder. A process of its own, because a test run that is killed cannot tidy up, but its pipes close.
 * With `--keep FOLDER` the cluster lives there and stays for the next time. All other arguments are settings.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { findPostgresBinaries } from './postgres-binaries.ts'

/** One way to run Postgres's programs as somebody whom they accept: they refuse root. */
type Way = { bin: string; owner?: { uid: number; gid: number }; prefix: string[] }

const { values: options, positionals: moreSettings } = parseArgs({ allowPositionals: true, options: { keep: { type: 'string' } } })
const folder = options.keep ?? mkdtempSync(join(tmpdir(), 'kontor-pg-'))
const data = join(folder, 'data')
let server: ChildProcess | undefined

function unprivileged(): { uid: number; gid: number } {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  return { uid: Number(user?.[2] ?? 65_534), gid: Number(user?.[3] ?? 65_534) }
}

function* ways(bin: string): Generator<Way> {
  if (process.getuid?.() !== 0) {
    yield { bin, prefix: [] }
    return
  }
  const owner = unprivileged()
  yield { bin, owner, prefix: [] }
  // In a checkout below a folder that only root may enter, the package's binaries are out of reach: lend a copy.
  if (bin.includes('node_modules')) {
    const copy = join(folder, 'postgres')
    cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true })
    yield { bin: join(copy, 'bin'), owner, prefix: [] }
  }
  // Where root may not become anybody else (some containers), a user namespace renames it.
  yield { bin, prefix: ['unshare', '-U', '--map-user=1000', '--map-group=1000'] }
}

/** The way in which a kept cluster was made: whoever owns its files may run it. */
function known(bin: string): Way | undefined {
  const { uid } = statSync(data)
  return [...ways(bin)].find(({ owner }) => (owner?.uid ?? process.getuid?.()) === uid)
}

/** The first way in which `initdb` succeeds. */
function initialise(bin: string): Way {
  const before = existsSync(join(data, 'PG_VERSION')) ? known(bin) : undefined
  if (before !== undefined) return before
  const args = ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '--no-instructions', '-E', 'UTF8', '--locale=C']
  const failures: string[] = []
  for (const way of ways(bin)) {
    rmSync(data, { recursive: true, force: true })
    chownSync(folder, way.owner?.uid ?? process.getuid?.() ?? -1, way.owner?.gid ?? process.getgid?.() ?? -1)
    const [command, ...rest] = [...way.prefix, join(way.bin, 'initdb'), ...args]
    const { status, stderr, error } = spawnSync(command!, rest, { ...way.owner, cwd: '/', encoding: 'utf8' })
    if (status === 0) return way
    failures.push(`${command} ${rest[0]}: ${error?.message ?? stderr.trim()}`)
  }
  throw new Error(`initdb failed in every way:\n${failures.join('\n')}`)
}

/** Durability is off: the data lives for one run. Given settings win over these (the benchmarks want it on). */
const settings = ['listen_addresses=', 'fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'shared_buffers=64MB', 'max_connections=200', ...moreSettings]

async function start(way: Way): Promise<ChildProcess> {
  const args = ['-D', data, '-k', folder, ...settings.flatMap((setting) => ['-c', setting])]
  const [command, ...rest] = [...way.prefix, join(way.bin, 'postgres'), ...args]
  const child = spawn(command!, rest, { ...way.owner, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  await new Promise<void>((resolve, reject) => {
    let log = ''
    child.stderr.on('data', (chunk: Buffer) => {
      // After the first line of interest the log is only drained, or Postgres would block on a full pipe.
      if (log.length > 10_000) return
      log += chunk.toString()
      if (log.includes('ready to accept connections')) resolve()
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`postgres stopped at once:\n${log}`)))
  })
  return child
}

async function stop(): Promise<void> {
  if (server && server.exitCode === null) {
    const gone = new Promise((resolve) => server!.once('exit', resolve))
    // SIGINT is Postgres's fast shutdown: it does not wait for clients.
    server.kill('SIGINT')
    await gone
  }
  if (options.keep === undefined) rmSync(folder, { recursive: true, force: true })
}

// Ctrl-C reaches the whole foreground group; the pipe alone decides, so that tests still running see an orderly end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

try {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o700)
  server = await start(initialise(findPostgresBinaries()))
  process.stdout.write(`postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}\n`)
  process.stdin.resume()
  await new Promise((resolve) => process.stdin.once('close', resolve).once('error', resolve))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  await stop()
}

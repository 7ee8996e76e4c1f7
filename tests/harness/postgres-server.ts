import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findPostgresBinaries } from './postgres-binaries.ts'

/** One way to run Postgres's programs as a user whom they accept: they refuse root. */
type Way = { bin: string; owner?: { uid: number; gid: number }; prefix: string[] }

/** Of what it says while it starts, so much is kept. */
const logCharacters = 10_000

/** Durability is off: the data lives for one run. Given settings win over these (the benchmarks want it on). */
const defaults = [
  'listen_addresses=',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'shared_buffers=64MB',
  'max_connections=200',
]

/** A cluster in a folder: its files stay when it stops, and it can be started again. */
export class PostgresServer {
  readonly folder: string
  readonly #data: string
  readonly #settings: readonly string[]
  readonly #way: Way
  #child: ChildProcess | undefined
  readonly #onLog: ((chunk: Buffer) => void) | undefined

  /**
   * Makes the cluster where there is none yet. Throws with Postgres's own words where that fails. `onLog` gets what it
   * logs once it is ready.
   */
  constructor(folder: string, settings: readonly string[] = [], onLog?: (chunk: Buffer) => void) {
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o700)
    this.folder = folder
    this.#data = join(folder, 'data')
    this.#settings = [...defaults, ...settings]
    this.#onLog = onLog
    this.#way = this.#initialise(findPostgresBinaries())
  }

  /** A superuser's URL. */
  get url(): string {
    return `postgres://postgres@localhost/postgres?host=${encodeURIComponent(this.folder)}`
  }

  /** Lets the cluster's programs write into a folder. */
  own(folder: string): void {
    const { owner } = this.#way
    chownSync(folder, owner?.uid ?? process.getuid?.() ?? -1, owner?.gid ?? process.getgid?.() ?? -1)
  }

  async start(): Promise<void> {
    const { prefix, bin, owner } = this.#way
    const args = ['-D', this.#data, '-k', this.folder, ...this.#settings.flatMap((setting) => ['-c', setting])]
    const [command, ...rest] = [...prefix, join(bin, 'postgres'), ...args]
    const child = spawn(command!, rest, { ...owner, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
    this.#child = child
    await new Promise<void>((resolve, reject) => {
      let log = ''
      let ready = false
      child.stderr.on('data', (chunk: Buffer) => {
        // Once it is ready the log is only drained, or Postgres would block on a full pipe. Before, it may be long:
        // each client that comes while it recovers is refused with a line.
        if (ready) return this.#onLog?.(chunk)
        log += chunk.toString()
        // Looked for before the beginning is left out: where this process is late, one chunk tells of much that came
        // behind it, and a start that was missed is waited for without end.
        ready = /ready to accept (read-only )?connections/.test(log)
        log = log.slice(-logCharacters)
        if (ready) resolve()
      })
      child.once('error', reject)
      child.once('exit', () => reject(new Error(`postgres stopped at once:\n${log}`)))
    })
  }

  /** Resolves when it is gone. SIGINT is Postgres's fast shutdown: it does not wait for clients. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await gone
  }

  /** The first way in which `initdb` succeeds. */
  #initialise(bin: string): Way {
    const before = existsSync(join(this.#data, 'PG_VERSION')) ? this.#known(bin) : undefined
    if (before !== undefined) return before
    const args = [
      '-D',
      this.#data,
      '-U',
      'postgres',
      '--auth=trust',
      '--no-sync',
      '--no-instructions',
      '-E',
      'UTF8',
      '--locale=C',
    ]
    const failures: string[] = []
    for (const way of this.#ways(bin)) {
      rmSync(this.#data, { recursive: true, force: true })
      chownSync(this.folder, way.owner?.uid ?? process.getuid?.() ?? -1, way.owner?.gid ?? process.getgid?.() ?? -1)
      const [command, ...rest] = [...way.prefix, join(way.bin, 'initdb'), ...args]
      const { status, stderr, error } = spawnSync(command!, rest, { ...way.owner, cwd: '/', encoding: 'utf8' })
      if (status === 0) return way
      failures.push(`${command} ${rest[0]}: ${error?.message ?? stderr.trim()}`)
    }
    throw new Error(`initdb failed in every way:\n${failures.join('\n')}`)
  }

  /** The way in which a kept cluster was made: the owner of its files may run it. */
  #known(bin: string): Way | undefined {
    const { uid } = statSync(this.#data)
    return [...this.#ways(bin)].find(({ owner }) => (owner?.uid ?? process.getuid?.()) === uid)
  }

  *#ways(bin: string): Generator<Way> {
    if (process.getuid?.() !== 0) {
      yield { bin, prefix: [] }
      return
    }
    const owner = unprivileged()
    yield { bin, owner, prefix: [] }
    // In a checkout below a folder that only root may enter, the package's binaries are out of reach: lend a copy.
    if (bin.includes('node_modules')) {
      const copy = join(this.folder, 'postgres')
      cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true })
      yield { bin: join(copy, 'bin'), owner, prefix: [] }
    }
    // Where root may not become anyone else (some containers), a user namespace renames it.
    yield { bin, prefix: ['unshare', '-U', '--map-user=1000', '--map-group=1000'] }
  }
}

function unprivileged(): { uid: number; gid: number } {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  return { uid: Number(user?.[2] ?? 65_534), gid: Number(user?.[3] ?? 65_534) }
}

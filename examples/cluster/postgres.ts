import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { startProgram, type Program } from './processes.ts'

/** One server of Postgres, which listens on a socket in its folder. */
export type Postgres = {
  readonly folder: string
  readonly socket: string
  readonly sql: (text: string) => string
  readonly end: (signal: NodeJS.Signals) => Promise<void>
  readonly start: () => Promise<void>
  /** Stops all of its processes, as a machine does that hangs, or lets them go on. */
  readonly signal: (signal: 'SIGSTOP' | 'SIGCONT') => void
}

/** Postgres refuses to run as root. */
const owner: { readonly uid?: number; readonly gid?: number } = process.getuid?.() === 0 ? unprivileged() : {}

function unprivileged(): { readonly uid: number; readonly gid: number } {
  return { uid: idOf('-u'), gid: idOf('-g') }
}

function idOf(flag: string): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
}

/** Returns the folder with the programs of Postgres: POSTGRES_BIN, one of the PATH, or Debian's newest. */
export function findBinaries(): string {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : []
  const folders = [
    process.env['POSTGRES_BIN'] ?? '',
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions.map((version) => join(debian, version, 'bin')),
  ]
  const programs = ['initdb', 'postgres', 'psql', 'pg_basebackup']
  const found = folders.find((folder) => folder !== '' && programs.every((name) => existsSync(join(folder, name))))
  if (found === undefined) throw new Error('There is no Postgres: set POSTGRES_BIN to the folder of its programs.')
  return found
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(join(findBinaries(), program), args, {
    ...owner,
    cwd: '/',
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${error?.message ?? stderr}`)
  return stdout
}

/** Data of an example may be lost with the machine, but not with a process. */
const settings = ['listen_addresses=', 'fsync=off', 'shared_buffers=64MB', 'max_connections=200']

async function start(folder: string, more: readonly string[] = []): Promise<Postgres> {
  const all = [...settings, ...more]
  const args = ['-D', join(folder, 'data'), '-k', folder, ...all.flatMap((setting) => ['-c', setting])]
  const ready = /ready to accept (read-only )?connections/
  const startAgain = (): Promise<Program> =>
    startProgram(join(findBinaries(), 'postgres'), args, { ...owner, cwd: '/', ready })
  let program = await startAgain()
  return {
    folder,
    socket: join(folder, '.s.PGSQL.5432'),
    sql: (text) => run('psql', ['-h', folder, '-U', 'postgres', '-Atqc', text]).trim(),
    end: (signal) => program.end(signal),
    start: async () => void (program = await startAgain()),
    signal: (signal) => {
      // Before its children, so that it starts no more of them.
      program.child.kill(signal)
      execFileSync('pkill', [`--signal=${signal}`, '-P', String(program.child.pid)])
    },
  }
}

function makeFolder(parent: string, name: string): string {
  // The user of Postgres must get through to its folders.
  chmodSync(parent, 0o711)
  const folder = join(parent, name)
  mkdirSync(folder, { mode: 0o700 })
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid)
  return folder
}

/** Starts a Postgres with an empty database in a new folder, with settings beside those of all. */
export async function startNew(parent: string, name: string, more: readonly string[] = []): Promise<Postgres> {
  const folder = makeFolder(parent, name)
  run('initdb', ['-D', join(folder, 'data'), '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'])
  return start(folder, more)
}

/** Starts a primary and a standby; a commit of the primary waits for the standby. */
export async function startPostgres(
  parent: string,
): Promise<{ readonly primary: Postgres; readonly standby: Postgres }> {
  const primary = await startNew(parent, 'primary')
  const second = makeFolder(parent, 'standby')
  const from = ['-h', primary.folder, '-U', 'postgres', '-R', '--checkpoint=fast']
  run('pg_basebackup', ['-D', join(second, 'data'), ...from])
  const standby = await start(second)
  primary.sql("alter system set synchronous_standby_names = '*'")
  primary.sql('select pg_reload_conf()')
  return { primary, standby }
}

/** Makes the standby the primary. */
export const promote = ({ sql }: Postgres): void => void sql('select pg_promote()')

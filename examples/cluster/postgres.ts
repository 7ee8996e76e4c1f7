import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { startProgram, type Program } from './processes.ts'

/** One server of Postgres, which listens on a socket in its folder. */
export type Postgres = {
  readonly socket: string
  readonly sql: (text: string) => string
  readonly end: (signal: NodeJS.Signals) => Promise<void>
  readonly start: () => Promise<void>
}

/** Postgres refuses to run as root. */
const owner: { readonly uid?: number; readonly gid?: number } = process.getuid?.() === 0 ? unprivileged() : {}

function unprivileged(): { readonly uid: number; readonly gid: number } {
  return { uid: idOf('-u'), gid: idOf('-g') }
}

function idOf(flag: string): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
}

/** The folder with the programs of Postgres: POSTGRES_BIN, one of the PATH, or Debian's newest. */
function findBinaries(): string {
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

async function start(folder: string): Promise<Postgres> {
  const args = ['-D', join(folder, 'data'), '-k', folder, ...settings.flatMap((setting) => ['-c', setting])]
  const ready = /ready to accept (read-only )?connections/
  const startAgain = (): Promise<Program> =>
    startProgram(join(findBinaries(), 'postgres'), args, { ...owner, cwd: '/', ready })
  let program = await startAgain()
  return {
    socket: join(folder, '.s.PGSQL.5432'),
    sql: (text) => run('psql', ['-h', folder, '-U', 'postgres', '-Atqc', text]).trim(),
    end: (signal) => program.end(signal),
    start: async () => void (program = await startAgain()),
  }
}

function makeFolder(parent: string, name: string): string {
  const folder = join(parent, name)
  mkdirSync(folder, { mode: 0o700 })
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid)
  return folder
}

/** Starts a primary and a standby; a commit of the primary waits for the standby. */
export async function startPostgres(
  parent: string,
): Promise<{ readonly primary: Postgres; readonly standby: Postgres }> {
  // The user of Postgres must get through to its folders.
  chmodSync(parent, 0o711)
  const [first, second] = [makeFolder(parent, 'primary'), makeFolder(parent, 'standby')]
  run('initdb', ['-D', join(first, 'data'), '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'])
  const primary = await start(first)
  run('pg_basebackup', ['-D', join(second, 'data'), '-h', first, '-U', 'postgres', '-R', '--checkpoint=fast'])
  const standby = await start(second)
  primary.sql("alter system set synchronous_standby_names = '*'")
  primary.sql('select pg_reload_conf()')
  return { primary, standby }
}

/** Makes the standby the primary. */
export const promote = ({ sql }: Postgres): void => void sql('select pg_promote()')

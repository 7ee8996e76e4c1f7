import { CommanderError } from 'commander'
import { ConnectionFailed, KontorError } from '@kontor/client'

/** A command that cannot be carried out; the message is for the person at the command line. */
export class CommandFailed extends Error {
  override readonly name: string = 'CommandFailed'
}

/** The command line itself is wrong. */
export class UsageError extends CommandFailed {
  override readonly name = 'UsageError'
}

/** The person pressed Ctrl-C. */
export class Interrupted extends CommandFailed {
  override readonly name = 'Interrupted'
}

/** Raised when a comparison finds differences. */
export class Differs extends CommandFailed {
  override readonly name = 'Differs'
}

export function exitCodeOf(error: unknown): number {
  // Commander "fails" with 0 for --help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof Interrupted) return 130
  return error instanceof UsageError || error instanceof Differs ? 2 : 1
}

/** Describes an error for the person at the command line; never a stack. */
export function explain(error: unknown): string {
  if (error instanceof KontorError) return explainRefusal(error)
  if (error instanceof ConnectionFailed) {
    return (
      `${error.message}\nIs Kontor running there? Start it with "npm start", or set its address with ` +
      '--base-url or KONTOR_BASE_URL.'
    )
  }
  if (error instanceof Error && error.name === 'DatabaseUnavailable' && error.cause instanceof Error)
    return explain(error.cause)
  return explainSystem(error as NodeJS.ErrnoException & { errors?: unknown[] })
}

function explainRefusal({ request, status, errors }: KontorError): string {
  if (errors.length === 0)
    return `${request} returned ${status}, and not in the format of Kontor. Is the address right? It ends with /v1.`
  const lines = errors.map(({ detail, source, meta }) => {
    // A fault of a workflow has its place in the graph, below the member that asked for the check.
    const inGraph = meta?.['workflow']
    const where = typeof inGraph === 'string' ? inGraph : (source?.pointer ?? source?.parameter ?? source?.header)
    const allowed = meta?.['allowed']
    const hint = Array.isArray(allowed) ? `\n  allowed: ${allowed.join(', ')}` : ''
    return `${detail}${where === undefined ? '' : ` (${where})`}${hint}`
  })
  const [first] = errors
  const fix =
    status === 401
      ? '\nCheck --api-key or KONTOR_API_KEY; see "kontor key create --help".'
      : status === 404
        ? `\nRequest: ${request}`
        : ''
  const id = status >= 500 ? `\nRequest id: ${first?.id}` : ''
  return `${lines.join('\n')}${fix}${id}`
}

/** Errors of the system and of the databases, by their codes. */
const systemErrors: Readonly<Record<string, (error: NodeJS.ErrnoException) => string>> = {
  ENOENT: ({ path }) => `The file ${path} does not exist.`,
  EACCES: ({ path }) => `No permission to use ${path}.`,
  EISDIR: () => 'This is a folder, not a file.',
  EEXIST: ({ path }) => `A file is in the place of a folder: ${path}.`,
  ENOTDIR: ({ path }) => `A file is in the place of a folder: ${path}.`,
  ENOSPC: () => 'The disk is full.',
  ECONNREFUSED: () => 'No database responds at DATABASE_URL.',
  ENOTFOUND: ({ message }) => `The host of DATABASE_URL is unknown: ${message}`,
  '28P01': ({ message }) => `The database rejects this user: ${message}`,
  '28000': ({ message }) => `The database rejects this user: ${message}`,
  '3D000': ({ message }) => `${message}. Create it first: createdb, or "create database".`,
  SQLITE_CANTOPEN: () => 'The SQLite file of DATABASE_URL or DATA_DIR cannot be opened.',
  SQLITE_NOTADB: () => 'The file of DATABASE_URL is not a SQLite database.',
  SQLITE_CORRUPT: ({ message }) =>
    `The file of DATABASE_URL is damaged: ${message}. Stop the server and restore a backup.`,
  SQLITE_BUSY: () => 'Another process has locked the database for too long; try again.',
}

function explainSystem(error: NodeJS.ErrnoException): string {
  return systemErrors[error.code ?? '']?.(error) ?? (error.message || String(error))
}

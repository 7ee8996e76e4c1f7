import { flushCompileCache } from 'node:module'
import { defined, isString, memberOf } from '../../lib/guards.ts'
import { DatabaseUnavailable } from '../errors.ts'
import { SqliteConnection } from '../sqlite-connection.ts'
import type { ReadAnswer, ReaderReady, ReadRequest } from './protocol.ts'

const path = defined(process.argv[2])

/** A process with connections of its own, one of them read-only: expensive queries block only this process. */
let reading: SqliteConnection | undefined
let writing: SqliteConnection | undefined

const connectionFor = (writes: boolean): SqliteConnection =>
  writes ? (writing ??= new SqliteConnection(path)) : (reading ??= new SqliteConnection(path, { readonly: true }))

function answer({ text, values, writes = false, isBoundary = false }: ReadRequest): ReadAnswer {
  try {
    const connection = connectionFor(writes)
    if (!isBoundary) return { rows: connection.all(text, values) }
    connection.exec(text)
    return { rows: [] }
  } catch (error) {
    // In SQLite's own words, which the server translates.
    const told = error instanceof DatabaseUnavailable ? error.cause : error
    const [message, code] = [String(memberOf(told, 'message')), memberOf(told, 'code')]
    return { error: isString(code) ? { message, code } : { message } }
  }
}

/** A server that has gone away needs no further messages. */
const tell = (message: ReadAnswer | ReaderReady): void =>
  void process.send?.(message, (error: Error | null) => error !== null && process.exit())

// The server decides when its readers end: a signal to the whole process group must not kill them while it drains.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit())
process.on('message', (request: ReadRequest) => tell(answer(request)))
tell({ ready: true })
// It is killed when the server closes, and would write nothing then.
flushCompileCache()

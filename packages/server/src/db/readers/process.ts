import { flushCompileCache } from 'node:module'
import { defined, isString, memberOf } from '../../lib/guards.ts'
import { DatabaseUnavailable, RowsTooLarge } from '../errors.ts'
import { RowBytes } from '../row-bytes.ts'
import { SqliteConnection } from '../sqlite-connection.ts'
import { rowsTooLarge, type ReadAnswer, type ReaderReady, type ReadRequest } from './protocol.ts'

const path = defined(process.argv[2])
/** The largest response that the server accepts. */
const bytesMax = Number(defined(process.argv[3]))

/** Bytes of rows in one message, which the server reads in one turn. */
const messageBytes = 2 ** 20

/** A process with connections of its own, one of them read-only: expensive queries block only this process. */
let reading: SqliteConnection | undefined
let writing: SqliteConnection | undefined

const connectionFor = (writes: boolean): SqliteConnection =>
  writes ? (writing ??= new SqliteConnection(path)) : (reading ??= new SqliteConnection(path, { readonly: true }))

function answer({ text, values, writes = false, isBoundary = false }: ReadRequest): ReadAnswer[] {
  try {
    const connection = connectionFor(writes)
    if (isBoundary) {
      connection.exec(text)
      return [{ rows: [] }]
    }
    const bytes = new RowBytes(bytesMax)
    return inMessages(connection.all(text, values, bytes), bytes.total)
  } catch (error) {
    // In SQLite's own words, which the server translates.
    const told = error instanceof DatabaseUnavailable ? error.cause : error
    const message = String(memberOf(told, 'message'))
    const code = error instanceof RowsTooLarge ? rowsTooLarge : memberOf(told, 'code')
    return [{ error: isString(code) ? { message, code } : { message } }]
  }
}

/** Splits rows of many bytes, so that the server reads them in several turns. */
function inMessages(rows: unknown[], bytes: number): ReadAnswer[] {
  const count = Math.min(rows.length, Math.ceil(bytes / messageBytes))
  if (count < 2) return [{ rows }]
  const size = Math.ceil(rows.length / count)
  const parts = Array.from({ length: Math.ceil(rows.length / size) }, (_, index) =>
    rows.slice(index * size, (index + 1) * size),
  )
  return parts.map((some, index) => (index < parts.length - 1 ? { rows: some, hasMore: true } : { rows: some }))
}

/** A server that has gone away needs no further messages. */
const tell = (message: ReadAnswer | ReaderReady): void =>
  void process.send?.(message, (error: Error | null) => error !== null && process.exit())

// The server decides when its readers end: a signal to the whole process group must not kill them while it drains.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit())
process.on('message', (request: ReadRequest) => answer(request).forEach(tell))
tell({ ready: true })
// It is killed when the server closes, and would write nothing then.
flushCompileCache()

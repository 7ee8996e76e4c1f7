import { SqliteConnection } from '../sqlite-connection.ts'
import type { ReadAnswer, ReaderReady, ReadRequest } from './protocol.ts'

/** A process with a read-only connection of its own: heavy queries stall it and nobody else. */
let connection: SqliteConnection | undefined

function answer({ text, values }: ReadRequest): ReadAnswer {
  try {
    connection ??= new SqliteConnection(process.argv[2] as string, { readonly: true })
    return { rows: connection.all(text, values) }
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    return { error: code === undefined ? { message } : { message, code } }
  }
}

// The server decides when its readers end: a signal to the whole group must not take them away while it drains.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit())
process.on('message', (request: ReadRequest) => process.send?.(answer(request)))
process.send?.({ ready: true } satisfies ReaderReady)

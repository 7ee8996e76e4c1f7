/**
 * Our own server, whose writes leave no history, no events and no index rows, or no events alone: measured beside the
 * whole one, it tells what those cost. They are taken away where the server is put together, so it knows nothing of it.
 */
import { createServer } from 'node:http'
import { openConfigured, readConfig, Tx } from '@kontor/server/admin'
import type { AppOptions } from '@kontor/server'
import { appOver } from './in-process.ts'
import { overriding } from './overriding.ts'

type Database = AppOptions['database']

/** Sent as JSON in the first argument. */
export type BareOptions = {
  readonly port: number
  readonly databaseUrl: string
  readonly without: 'traces' | 'events'
}

const indexTables: ReadonlySet<string> = new Set(['field_text', 'field_number', 'field_gram', 'search_document'])
/** On Postgres events are numbered after their commits. */
const eventTables: ReadonlySet<string> = new Set(['event', 'outbox'])

const leavingOut = (tables: ReadonlySet<string>, { executor }: Tx): Tx =>
  new Tx({
    ...executor,
    send: (command) =>
      'change' in command && command.change === 'insert' && tables.has(command.table)
        ? Promise.resolve([])
        : executor.send(command),
  })

const { port, databaseUrl, without } = JSON.parse(process.argv[2] as string) as BareOptions
const opened = openConfigured(readConfig({ DATABASE_URL: databaseUrl }))
const tables = without === 'events' ? eventTables : indexTables
const database: Database = overriding<Database>(opened, {
  write: (work) => opened.write((tx) => work(leavingOut(tables, tx))),
})
const app = appOver(database, `http://127.0.0.1:${port}`)
if (without === 'traces')
  Object.assign(app.runtime, { writeEvents: () => Promise.resolve() } satisfies Partial<typeof app.runtime>)
const server = createServer({ keepAliveTimeout: 65_000 }, app.listener)
server.listen(port, '127.0.0.1')
process.once('SIGTERM', () => {
  server.closeAllConnections()
  server.close(() => void opened.close().then(() => process.exit(0)))
})

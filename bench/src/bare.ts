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
  /** `nothing` is the whole server in this program: what is measured beside it differs by nothing else. */
  readonly without: 'traces' | 'events' | 'nothing'
}

const indexTables: ReadonlySet<string> = new Set(['field_text', 'field_number', 'field_gram', 'search_document'])
/** On Postgres events are numbered after their commits. */
const eventTables: ReadonlySet<string> = new Set(['event', 'outbox'])
const eventTopics = ['events', 'outbox'] as const

const leavingOut = (tables: ReadonlySet<string>, { executor }: Tx): Tx =>
  new Tx({
    ...executor,
    send: (command) => {
      if ('change' in command)
        return command.change === 'insert' && tables.has(command.table) ? Promise.resolve([]) : executor.send(command)
      return tables === eventTables && command.text.includes('event_head')
        ? Promise.resolve(undefined)
        : executor.send(command)
    },
  })

const { port, databaseUrl, without } = JSON.parse(process.argv[2] as string) as BareOptions
const opened = openConfigured(readConfig({ DATABASE_URL: databaseUrl }))
const tables = without === 'events' ? eventTables : indexTables
const database: Database =
  without === 'nothing'
    ? opened
    : overriding<Database>(opened, {
        write: (work) =>
          opened.write(async (tx) => {
            const value = await work(leavingOut(tables, tx))
            if (tables === eventTables) for (const topic of eventTopics) tx.executor.published.delete(topic)
            return value
          }),
      })
const app = appOver(database, `http://127.0.0.1:${port}`)
if (without === 'traces')
  Object.assign(app.runtime, { writeEvents: () => Promise.resolve() } satisfies Partial<typeof app.runtime>)
const server = createServer({ keepAliveTimeout: 65_000 }, app.listener)
// The work of a whole server beside its requests, such as folding counters, is no cost of events.
if (without !== 'traces') await app.runner.start()
server.listen(port, '127.0.0.1')
process.once('SIGTERM', () => {
  server.closeAllConnections()
  server.close(() => void end())
})

async function end(): Promise<void> {
  if (without !== 'traces') await app.runner.stop(1000)
  await opened.close()
  process.exit(0)
}

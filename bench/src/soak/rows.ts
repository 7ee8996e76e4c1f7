import { openConfigured, readConfig } from '@kontor/server/admin'
import { sentTypes } from './followers.ts'

/** Tables that hold what is under way, those that keep what has been done, and those of records. */
const tables =
  'outbox job idempotency record_count_delta workflow_wait workflow_arrival session event activity webhook_delivery ' +
  'webhook_attempt workflow_run workflow_step comment record unique_key field_text search_document list_entry'

/** Counts rows of the database of a server. */
export function rowsOf(url: string) {
  const database = openConfigured(readConfig({ DATABASE_URL: url, STATEMENT_TIMEOUT_MS: '600000' }))
  const count = async (table: string, values: Readonly<Record<string, readonly string[]>> = {}): Promise<number> => {
    const [row] = await database.reader.query<{ count: number | string }>(({ knex }) => {
      const query = knex(table).count({ count: '*' })
      for (const [column, some] of Object.entries(values)) query.whereIn(column, some)
      return query
    })
    return Number(row?.count)
  }
  return {
    close: () => database.close(),
    waiting: () => count('outbox'),
    events: () => count('event'),
    toSend: () => count('event', { type: sentTypes }),
    openRuns: () => count('workflow_run', { run_status: ['pending', 'running', 'waiting'] }),
    async all(): Promise<Record<string, number>> {
      const counts: Record<string, number> = {}
      for (const table of tables.split(' ')) counts[table] = await count(table)
      return counts
    },
  }
}

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, inject, onTestFinished, test } from 'vitest'
import { planOnce } from '../../packages/server/src/db/postgres-plans.ts'
import type { Database } from '../../packages/server/src/db/tx.ts'
import { listUnread, listUnreadSubjects } from '../../packages/server/src/modules/events/consumers/store.ts'
import { freshPostgres, workspaceId } from './fresh.ts'

const consumers = ['lists', 'webhooks', 'workflows']
/** More than a plan for few rows would scan. */
const events = 20_000

/** The statements by which consumers read what is new. */
async function statementsOf(database: Pick<Database, 'reader'>): Promise<string[]> {
  const texts = new Set<string>()
  const hear = (message: unknown) => texts.add((message as { readonly text: string }).text)
  subscribe('kontor:statement', hear)
  for (const list of [listUnread, listUnreadSubjects])
    expect(await list(database.reader, workspaceId, 'lists', 100)).toEqual([])
  unsubscribe('kontor:statement', hear)
  return [...texts].filter((text) => text.includes('event_cursor'))
}

test.runIf(inject('database') === 'postgres')(
  'Postgres reads new events from the position of a consumer on, not the log from its beginning',
  async () => {
    const { database } = await freshPostgres()
    const texts = await statementsOf(database)
    expect(texts).toHaveLength(2)
    const client = await database.pool.connect()
    onTestFinished(() => client.release(true))
    await client.query('begin')
    await client.query(`insert into event (workspace_id, sequence, id, type, actor, silent, payload, created_at)
      select '${workspaceId}', n, gen_random_uuid(), 'list.deleted', '{}', false, '{}', n
      from generate_series(1, ${events}) as n`)
    await client.query(`insert into event_cursor (workspace_id, consumer, sequence)
      select '${workspaceId}', unnest('{${consumers.join(',')}}'::text[]), ${events - 1}`)
    const values: Record<string, string> = { uuid: `'${workspaceId}'`, text: `'lists'`, bigint: '1000' }
    for (const hasStatistics of [false, true])
      for (const settings of ['reset all', planOnce]) {
        await client.query(settings)
        if (hasStatistics) await client.query('analyze event; analyze event_cursor')
        for (const text of texts) {
          await client.query(`prepare explained as ${text}`)
          const { rows } = await client.query<{ types: string[] }>(
            "select parameter_types::text[] as types from pg_prepared_statements where name = 'explained'",
          )
          const given = rows[0]?.types.map((type) => values[type]).join(', ')
          const explained = await client.query(`explain execute explained (${given})`)
          await client.query('deallocate explained')
          const plan = explained.rows.map((row) => String(row['QUERY PLAN'])).join('\n')
          expect(plan).toMatch(/event_pkey.*\n *Index Cond: \(.*sequence > /)
        }
      }
  },
)

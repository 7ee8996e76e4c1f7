import { expect, inject, onTestFinished, test } from 'vitest'
import { planOnce } from '../../packages/server/src/db/postgres-plans.ts'
import { listUnread, listUnreadSubjects } from '../../packages/server/src/modules/events/consumers/store.ts'
import { planOf, statementsOf } from '../harness/statement-plans.ts'
import { freshPostgres, workspaceId } from './fresh.ts'

const consumers = ['lists', 'webhooks', 'workflows']
/** More than a plan for few rows would scan. */
const events = 20_000

test.runIf(inject('database') === 'postgres')(
  'Postgres reads new events from the position of a consumer on, not the log from its beginning',
  async () => {
    const { database } = await freshPostgres()
    const sent = await statementsOf(async () => {
      for (const list of [listUnread, listUnreadSubjects])
        expect(await list(database.reader, workspaceId, 'lists', 100)).toEqual([])
    })
    const texts = sent.filter((text) => text.includes('event_cursor'))
    expect(texts).toHaveLength(2)
    const client = await database.pool.connect()
    onTestFinished(() => client.release(true))
    await client.query('begin')
    await client.query(`insert into event (workspace_id, sequence, id, type, actor, silent, payload, created_at)
      select '${workspaceId}', n, gen_random_uuid(), 'list.deleted', '{}', false, '{}', n
      from generate_series(1, ${events}) as n`)
    await client.query(`insert into event_cursor (workspace_id, consumer, sequence)
      select '${workspaceId}', unnest('{${consumers.join(',')}}'::text[]), ${events - 1}`)
    const values = { uuid: `'${workspaceId}'`, text: `'lists'`, bigint: '1000' }
    for (const hasStatistics of [false, true])
      for (const settings of ['reset all', planOnce]) {
        await client.query(settings)
        if (hasStatistics) await client.query('analyze event; analyze event_cursor')
        for (const text of texts)
          expect(await planOf(client, text, values)).toMatch(/event_pkey.*\n *Index Cond: \(.*sequence > /)
      }
  },
)

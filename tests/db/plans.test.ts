import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { PoolClient } from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { migrate } from '../../packages/server/src/db/migrate.ts'
import type { SqliteDatabase } from '../../packages/server/src/db/sqlite-database.ts'
import { deletedAfter, isLive } from '../../packages/server/src/db/expressions.ts'
import type { Sql } from '../../packages/server/src/db/sql.ts'
import { param, statement } from '../../packages/server/src/db/statement.ts'
import { planOnce } from '../../packages/server/src/db/postgres-plans.ts'
import { freshDatabase, freshPostgres, key, open, workspaceId } from './fresh.ts'

const some = 'in (select value from json_each(?))'

/** The questions, their words, and the index that must answer. */
const questions: readonly [what: string, sql: string, plan: string][] = [
  [
    'records by their ids',
    `select data from record where workspace_id = ? and object = ? and id ${some} and deleted_at is null`,
    'SEARCH record USING INDEX sqlite_autoindex_record_1 (workspace_id=? AND id=?)',
  ],
  [
    'deleted records by their ids',
    `select data from record where workspace_id = ? and object = ? and id ${some} and deleted_at > ? order by id`,
    'SEARCH record USING INDEX sqlite_autoindex_record_1 (workspace_id=? AND id=?)',
  ],
  [
    'index rows of records',
    `delete from field_text where workspace_id = ? and record_id ${some}`,
    'SEARCH field_text USING INDEX field_text_record (workspace_id=? AND record_id=?)',
  ],
  [
    'numbers of records',
    `delete from field_number where workspace_id = ? and record_id ${some}`,
    'SEARCH field_number USING INDEX field_number_record (workspace_id=? AND record_id=?)',
  ],
  [
    'unique values of records',
    `delete from unique_key where workspace_id = ? and record_id ${some}`,
    'SEARCH unique_key USING COVERING INDEX unique_key_record (workspace_id=? AND record_id=?)',
  ],
  [
    'events after a number',
    'select * from event where workspace_id = ? and sequence > ? and sequence <= ? order by sequence limit 100',
    'SEARCH event USING INDEX sqlite_autoindex_event_1 (workspace_id=? AND sequence>? AND sequence<?)',
  ],
  [
    'events of a record',
    `select * from event where workspace_id = ? and sequence > ? and sequence <= ? and record_id = ?
     order by sequence limit 100`,
    'SEARCH event USING INDEX event_record (workspace_id=? AND record_id=? AND sequence>? AND sequence<?)',
  ],
  [
    'the changes of an event',
    'select activity.diff from activity where activity.workspace_id = ? and activity.id = ? limit 1',
    'SEARCH activity USING INDEX activity_event (workspace_id=? AND id=?)',
  ],
  [
    'links from records',
    `select * from link where workspace_id = ? and relationship ${some} and from_id ${some}`,
    'SEARCH link USING PRIMARY KEY (workspace_id=? AND relationship=? AND from_id=?)',
  ],
  [
    'links to records',
    `select * from link where workspace_id = ? and relationship ${some} and to_id ${some}`,
    'SEARCH link USING COVERING INDEX link_reverse (workspace_id=? AND relationship=? AND to_id=?)',
  ],
  [
    'links that are to be hidden',
    `select * from link where workspace_id = ? and relationship ${some} and to_id ${some} and hidden_by is null`,
    'SEARCH link USING COVERING INDEX link_reverse (workspace_id=? AND relationship=? AND to_id=? AND hidden_by=?)',
  ],
  [
    'links that wait for records',
    `select * from link where workspace_id = ? and hidden_by ${some}`,
    'SEARCH link USING COVERING INDEX link_hidden (workspace_id=? AND hidden_by=?)',
  ],
  [
    'comments of records',
    `update comment set record_id = ? where workspace_id = ? and record_id ${some}`,
    'SEARCH comment USING COVERING INDEX comment_record (workspace_id=? AND record_id=?)',
  ],
  [
    'what is to be purged',
    'select id from record where deleted_at <= ? order by deleted_at limit 500',
    'SEARCH record USING INDEX record_expired (deleted_at<?)',
  ],
  [
    'a page in the order of creation',
    'select * from record where workspace_id = ? and object = ? and deleted_at is null and (created_at, id) ' +
      '> (?, ?) order by created_at, id limit 51',
    'SEARCH record USING INDEX record_live (workspace_id=? AND object=? AND (created_at,id)>(?,?))',
  ],
  [
    'a page in the order of a field',
    'select record_id from field_text where workspace_id = ? and field = ? and is_null = 0 and (text_value, ' +
      'record_id) > (?, ?) order by text_value, record_id limit 51',
    'SEARCH field_text USING PRIMARY KEY (workspace_id=? AND field=? AND is_null=? AND (text_value,record_id)>(?,?))',
  ],
  [
    'runs that a page passes over',
    'select id from workflow_run where workspace_id = ? and workflow_id = ? and acting_id = ? order by id desc ' +
      'limit 50 offset 500000',
    'SEARCH workflow_run USING COVERING INDEX workflow_run_in_order (workspace_id=? AND workflow_id=?)',
  ],
  [
    'runs with a status that a member acts in',
    'select count(*) from workflow_run where workspace_id = ? and workflow_id = ? and run_status = ? and acting_id = ?',
    'SEARCH workflow_run USING COVERING INDEX workflow_run_of_workflow (workspace_id=? AND workflow_id=? AND ' +
      'run_status=?)',
  ],
]

// SQLite must not read all of a large workspace. Postgres keeps statistics by itself.
test.runIf(inject('database') === 'sqlite')(
  'SQLite finds by an index what belongs to a few records, from the first row on, whether it reads or writes',
  async () => {
    const database = (await freshDatabase()) as SqliteDatabase
    await database.ping()
    await migrate(database)
    for (const [what, sql, plan] of questions) {
      const text = `explain query plan ${sql}`
      const values = sql.match(/\?/g)!.map(() => '[]')
      for (const steps of [
        database.migrationConnection.all(text, values),
        await database.reader.query<{ detail: string }>(({ knex }) => knex.raw(text, values)),
      ]) {
        const [first, ...others] = steps.map(({ detail }) => String(detail))
        expect(first, what).toBe(plan)
        expect(others.join('\n'), what).not.toMatch(/BLOOM|TEMP B-TREE/)
      }
    }
  },
)

type OfObject = { readonly workspace_id: string; readonly object: string; readonly ids: readonly string[] }

const withIds = (condition: (sql: Sql) => ReturnType<Sql>) => (sql: Sql) =>
  sql
    .knex('record')
    .select('data')
    .where({ workspace_id: param('workspace_id'), object: param('object') })
    .where(sql.dialect.oneOf('id', param('ids')))
    .where(condition(sql))

const live = withIds((sql) => isLive(sql, 'record'))
const locked = statement<OfObject, object>((sql) => sql.dialect.locked(live(sql).orderBy('id'), 'change'))
const gone = statement<OfObject, object>(withIds((sql) => deletedAfter(sql, 'record', 0)))

const ofPersons = (ids: readonly string[]): OfObject => ({ workspace_id: workspaceId, object: 'person', ids })

/** The plan of a statement with values by the types of its parameters: the first id is that of the workspace. */
async function planOf(client: PoolClient, text: string, ids: readonly string[]): Promise<string> {
  await client.query(`prepare explained as ${text}`)
  const { rows } = await client.query(`
    select parameter_types::text[] as types from pg_prepared_statements where name = 'explained'`)
  const valueOf: Record<string, string> = { 'uuid[]': `'{${ids.join(',')}}'`, text: `'person'`, bigint: '0' }
  const values = (rows[0].types as string[]).map(
    (type, index) => valueOf[type] ?? `'${index === 0 ? workspaceId : ids[0]}'`,
  )
  const explained = await client.query(`explain execute explained (${values.join(', ')})`)
  await client.query('deallocate explained')
  return explained.rows.map((row) => row['QUERY PLAN']).join('\n')
}

test.runIf(inject('database') === 'postgres')(
  'Postgres finds records of some ids by their key before it has gathered statistics, whichever way it plans',
  async () => {
    const { database } = await freshPostgres()
    const texts = new Set<string>()
    const hear = (message: unknown) => texts.add((message as { readonly text: string }).text)
    subscribe('kontor:statement', hear)
    await database.write(async (tx) => {
      for (const ids of [[key(1)], [key(1), key(2)]])
        for (const found of [locked, gone]) await tx.all(found, ofPersons(ids))
    })
    unsubscribe('kontor:statement', hear)
    expect(texts.size).toBe(4)
    const client = await database.pool.connect()
    onTestFinished(() => client.release(true))
    await client.query('begin')
    await client.query(`insert into record (workspace_id, id, object, visibility, version, created_at, updated_at, data)
      select '${workspaceId}', gen_random_uuid(), 'person', 0, 1, n, n, '{}' from generate_series(1, 20000) as n`)
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await client.query(`set local plan_cache_mode = ${mode}`)
      for (const text of texts)
        for (const count of [1, 1000]) {
          const plan = await planOf(
            client,
            text,
            Array.from({ length: count }, (_, at) => key(at)),
          )
          expect(
            plan.match(/record_p\d+_\w+/g)?.map((name) => name.replace(/_p\d+/, '')),
            plan,
          ).toEqual(['record_pkey'])
        }
    }
  },
)

const once = { plansOnce: true }

test.runIf(inject('database') === 'postgres')(
  'Postgres plans the statements of a change once for all values, until one depends on its values',
  async () => {
    const { database } = await freshPostgres()
    // The first one on a connection asks whether that may be.
    await database.write((tx) => tx.all(locked, ofPersons([key(1)])), once)
    await database.write(async (tx) => {
      for (let count = 1; count <= 8; count++) await tx.all(locked, ofPersons([key(count)]))
      expect(await tx.all(plansOfLocks, {})).toEqual([{ generic: 8, custom: 1 }])
      await tx.all(locked, ofPersons([key(1), key(2)]))
      expect(await tx.query(modeOfPlans)).toEqual([{ mode: 'auto' }])
      expect(await tx.all(plansOfLocks, {})).toContainEqual({ generic: 0, custom: 1 })
    }, once)
    expect(await database.reader.query(modeOfPlans)).toEqual([{ mode: 'auto' }])
    expect(await database.reader.first(modeOfSmallReads, {})).toEqual({ mode: 'force_generic_plan' })
  },
)

test.runIf(inject('database') === 'postgres')(
  'where Citus is loaded, which finds shards by values, no statement is planned once',
  async () => {
    const { database, url } = await freshPostgres()
    await database.pool.query(`alter database "${new URL(url).pathname.slice(1)}" set citus.shard_count = 32`)
    const connected = open(url)
    for (let count = 1; count <= 2; count++)
      expect(await connected.write((tx) => tx.query(modeOfPlans), once)).toEqual([{ mode: 'auto' }])
    expect(await connected.reader.first(modeOfSmallReads, {})).toEqual({ mode: 'auto' })
  },
)

test.runIf(inject('database') === 'postgres')(
  'a plan for all values has the partial index of a constant of its statement',
  async () => {
    const { database } = await freshPostgres()
    const texts: string[] = []
    const hear = (message: unknown) => texts.push((message as { readonly text: string }).text)
    subscribe('kontor:statement', hear)
    await database.reader.first(firstPending, { workspace_id: workspaceId, webhook_id: key(1) })
    unsubscribe('kontor:statement', hear)
    const client = await database.pool.connect()
    onTestFinished(() => client.release(true))
    await client.query(planOnce)
    for (const text of texts) expect(await planOf(client, text, [key(1)])).toContain(' webhook_delivery_order ')
    expect(texts).toHaveLength(1)
  },
)

const firstPending = statement<{ workspace_id: string; webhook_id: string }, object>(({ knex }) =>
  knex('webhook_delivery')
    .select('id')
    .where({ workspace_id: param('workspace_id'), webhook_id: param('webhook_id'), state: 'pending' })
    .orderBy(['sequence', 'id'])
    .limit(1),
)

const modeOfPlans = (sql: Sql) => sql`select current_setting('plan_cache_mode') as mode`
const modeOfSmallReads = statement<object, { mode: string }>(modeOfPlans)

const plansOfLocks = statement<object, { generic: number; custom: number }>(
  (sql) =>
    sql`select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
      where statement like '%for no key update'`,
)

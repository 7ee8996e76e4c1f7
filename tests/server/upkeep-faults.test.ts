import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { openAt, type TestDatabase } from '../harness/database.ts'
import { startServer } from '../harness/server-process.ts'

const app = await startApp()
let database: TestDatabase
beforeAll(() => {
  database = openAt(app.databaseUrl)
})
afterAll(() => database.close())

const day = 24 * 3_600_000
const isPostgres = inject('database') === 'postgres'

const broken = '01900000-0000-7000-8000-00000000000a'
const sound = '01900000-0000-7000-8000-00000000000b'
const id = '01900000-0000-7000-8000-0000000000ff'

const event = { type: 'record.updated', object: null, record_id: null, actor: {}, silent: false, payload: {} }

/** Rows of a workspace that upkeep deletes, by their tables. */
const staleRows = (workspace_id: string, now: number) => ({
  idempotency: {
    workspace_id,
    actor_id: 'someone',
    endpoint: 'records.create',
    idempotency_key: 'key',
    request_hash: 'h',
    status: 201,
    body: {},
    headers: {},
    created_at: now - 2 * day,
  },
  event: { workspace_id, id, sequence: 1, ...event, created_at: now - 31 * day },
  async_task: {
    workspace_id,
    id,
    user_id: id,
    type: 'schema_modification',
    progress: 0,
    metadata: {},
    queued_at: now - 8 * day,
    completed_at: now - 8 * day,
    updated_at: now - 8 * day,
  },
  job: {
    workspace_id,
    id,
    kind: 'old',
    payload: {},
    run_at: 1,
    scheduled_at: 1,
    attempt: 1,
    failures: 1,
    created_at: 1,
    ended_at: now - 31 * day,
  },
  record: {
    workspace_id,
    id,
    object: 'person',
    visibility: 0,
    version: 1,
    created_at: 1,
    updated_at: 1,
    deleted_at: now - 31 * day,
    data: {},
  },
  ...(isPostgres && {
    outbox: { workspace_id, id, ...event, created_at: now },
    record_count_delta: { workspace_id, object: 'person', id, delta: 1 },
  }),
})

/** Lets no row of the broken workspace be deleted from a table, or updated in it. */
const breakIn = (table: string, change: 'delete' | 'update'): Promise<void> =>
  database.write(async (tx) => {
    const when = `before ${change} on ${table} for each row when (old.workspace_id = '${broken}')`
    const fails = isPostgres
      ? [
          'create or replace function fails() returns trigger language plpgsql as $$ begin raise exception ' +
            `'broken'; end $$`,
          `create trigger ${table}_fails ${when} execute function fails()`,
        ]
      : [`create trigger ${table}_fails ${when} begin select raise(abort, 'broken'); end`]
    for (const text of fails) await tx.change(({ knex }) => knex.raw(text))
  })

test('a fault in one workspace stops the upkeep of no other', async () => {
  const now = app.now()
  const tables = Object.keys(staleRows(sound, now)) as (keyof ReturnType<typeof staleRows>)[]
  await database.write(async (tx) => {
    for (const workspace_id of [broken, sound]) {
      const stale = staleRows(workspace_id, now)
      for (const table of tables) await tx.insert(table, [stale[table] as never])
      await tx.insert('event', [{ ...stale.event, sequence: 2, created_at: now }])
      await tx.insert('event_head', [{ workspace_id, last_sequence: 2 }])
      await tx.insert('event_cursor', [{ workspace_id, consumer: 'lists', sequence: 0 }])
    }
  })
  for (const table of tables) await breakIn(table, 'delete')
  await breakIn('event_cursor', 'update')
  const server = await startServer(app.databaseUrl)
  await expect
    .poll(
      async () =>
        Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await withStaleRows(table)]))),
      {
        timeout: 60_000,
      },
    )
    .toEqual(Object.fromEntries(tables.map((table) => [table, [broken]])))
  await expect.poll(() => workspacesIn('event_cursor', { sequence: 0 }), { timeout: 60_000 }).toEqual([broken])
  expect(await server.terminate()).toBe(0)
})

const withStaleRows = (table: string): Promise<string[]> =>
  workspacesIn(table, table === 'event' ? { sequence: 1 } : {})

/** The two workspaces that have such rows in a table. */
const workspacesIn = async (table: string, where: Record<string, number>): Promise<string[]> =>
  (
    await database.reader.query<{ workspace_id: string }>(({ knex }) =>
      knex(table).distinct('workspace_id').where(where).whereIn('workspace_id', [broken, sound]),
    )
  ).map(({ workspace_id }) => workspace_id)

import { hash } from 'node:crypto'
import { inject } from 'vitest'
import type { TestDatabase } from './database.ts'

/** Hints for people, written on each call: they say nothing of what a call has done. */
const passing = new Set(['last_used_at', 'last_active_at'])

const columnsOnSqlite =
  'select m.name as "table", c.name as "column" from sqlite_schema m join pragma_table_info(m.name) c where ' +
  `m.type = 'table'`
const columnsOnPostgres = `
select c.relname as "table", a.attname as "column" from pg_class c join pg_attribute a on a.attrelid = c.oid
where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  and a.attnum > 0 and not a.attisdropped`

/** A count is what was folded and what was not: when it is folded is up to a job. */
const counted = new Set(['record_count', 'record_count_delta'])

/** An event is told by its id, whether or not a job has put it into its place yet; how far that came is no news. */
const told = new Set(['outbox', 'event'])
const positionsTable = 'event_head'

/**
 * Everything that is stored of a workspace, whatever tables there are, one line a row: nothing has changed where it is
 * the same.
 */
export const rowsOf =
  (database: TestDatabase) =>
  async (workspaceId: string): Promise<string[]> => {
    const columns = await database.reader.query<{ table: string; column: string }>(({ knex }) =>
      knex.raw(inject('database') === 'postgres' ? columnsOnPostgres : columnsOnSqlite),
    )
    const tables = [...Map.groupBy(columns, ({ table }) => table)].filter(
      ([, own]) => own.some(({ column }) => column === 'workspace_id') && own[0]?.table !== positionsTable,
    )
    const lines: string[] = []
    const counts = new Map<unknown, number>()
    for (const [table] of [['workspace'] as const, ...tables]) {
      const key = table === 'workspace' ? 'id' : 'workspace_id'
      const rows = await database.reader.query<Record<string, unknown>>(
        ({ knex }) => knex(table).select('*').where(key, workspaceId),
        { heavy: true },
      )
      if (counted.has(table))
        for (const { object, total, delta } of rows)
          counts.set(object, (counts.get(object) ?? 0) + Number(total ?? delta))
      else if (told.has(table)) for (const { id } of rows) lines.push(`event ${String(id)}`)
      else
        for (const row of rows)
          lines.push(`${table} ${JSON.stringify(Object.entries(row).filter(([column]) => !passing.has(column)))}`)
    }
    for (const [object, total] of counts) if (total !== 0) lines.push(`count ${JSON.stringify([object, total])}`)
    return lines.toSorted()
  }

/** The versions of all records, deleted ones included, by object and id. */
export const recordVersionsOf = (database: TestDatabase) => async (): Promise<Map<string, number>> => {
  const rows = await database.reader.query<{ object: string; id: string; version: number }>(({ knex }) =>
    knex('record').select('object', 'id', 'version'),
  )
  return new Map(rows.map(({ object, id, version }) => [`${object} ${id}`, version]))
}

/** All that is stored of how people sign in. */
export const signInRowsOf = (database: TestDatabase) => async (): Promise<unknown[]> =>
  (
    await Promise.all(
      [
        'password',
        'session',
        'password_link',
        'sign_in_attempt',
        'invitation',
        'second_factor',
        'recovery_code',
        'passkey',
      ].map((table) => database.reader.query(({ knex }) => knex(table).select('*'))),
    )
  ).flat()

/**
 * The names of all counters, and of what is not folded into one yet: those that have come to nothing are none. In one
 * query, since a job folds meanwhile.
 */
export const countersOf = (database: TestDatabase) => async (): Promise<string[]> => {
  const rows = await database.reader.query<{ object: string }>(({ knex }) =>
    knex.unionAll([...counted].map((table) => knex(table).select('object'))),
  )
  return rows.map(({ object }) => object)
}

/** The id of a workspace by its slug. */
export const workspaceIdOf =
  (database: TestDatabase) =>
  async (slug: string): Promise<string> => {
    const [row] = await database.reader.query<{ id: string }>(({ knex }) =>
      knex('workspace').select('id').where({ slug }),
    )
    if (row === undefined) throw new Error(`no workspace ${slug}`)
    return row.id
  }

/** Gives a key of acme another secret, as an earlier version of the server may have made it. */
export const replaceKeyOf =
  (database: TestDatabase) =>
  async (id: string, key: string): Promise<void> => {
    const workspaceId = await workspaceIdOf(database)('acme')
    await database.write((tx) =>
      tx.updateByKey(
        'api_key',
        ['workspace_id', 'id'],
        [{ workspace_id: workspaceId, id, key_hash: hash('sha256', key, 'base64url'), key_prefix: key.slice(0, 7) }],
      ),
    )
  }

/** Counts the documents of records in the index of the search. */
export const searchIndexedOf = (database: TestDatabase) => async (): Promise<number> => {
  const [row] = await database.reader.query<{ total: number }>(({ knex }) =>
    knex('search_document').count('* as total').whereNotNull('grams'),
  )
  return row?.total ?? 0
}

import { expect, inject, test } from 'vitest'
import { kindOfName } from '../../packages/server/src/db/column-kinds.ts'
import { tables } from '../../packages/server/src/db/columns.ts'
import { migrate } from '../../packages/server/src/db/migrate.ts'
import { dumpSchema } from './dump.ts'
import { freshDatabase } from './fresh.ts'

const name = inject('database')
const snapshot = `../../packages/server/src/db/snapshots/${name}.sql`

/** Types by column kind, as the catalogue of each database prints them. */
const typeNames = {
  sqlite: {
    uuid: 'TEXT',
    text: 'TEXT',
    integer: 'INTEGER',
    float: 'REAL',
    boolean: 'INTEGER',
    json: 'TEXT',
    document: 'TEXT',
    timestamp: 'INTEGER',
    integers: 'TEXT',
  },
  postgres: {
    uuid: 'uuid',
    text: 'text',
    integer: 'bigint',
    float: 'double precision',
    boolean: 'boolean',
    json: 'jsonb',
    document: 'json',
    timestamp: 'bigint',
    integers: 'ARRAY',
  },
}

/** SQLite keeps the indexes over grams in tables of its own, by numbers that it gives out itself. */
const columnQueries = {
  sqlite: `select m.name as table_name, c.name as column_name,
      upper(c.type) || iif(c."notnull", ' not null', '') as type
    from sqlite_schema as m join pragma_table_info(m.name) as c
    where m.type = 'table' and m.name not in ('kontor_migration') and m.name not like 'sqlite%'
      and m.name not like 'gram_index%' and m.name not like 'search_index%'
      and not (m.name in ('field_gram', 'search_document') and c.name = 'id')`,
  postgres: `select c.table_name, c.column_name,
      c.data_type || case c.is_nullable when 'NO' then ' not null' else '' end as type
    from information_schema.columns as c
    join pg_class on pg_class.oid = format('%I.%I', c.table_schema, c.table_name)::regclass and not relispartition
    where c.table_schema = current_schema() and c.table_name not in ('kontor_migration')`,
}

// After a wanted change: `npx vitest run --config tests/vitest.config.ts db/schema -u`, and read the difference.
test('the schema is the committed one', async () => {
  const database = await freshDatabase()
  await expect(await dumpSchema(database)).toMatchFileSnapshot(snapshot)
})

test('up, down and up again gives the same, and down leaves nothing but the history', async () => {
  const database = await freshDatabase()
  const before = await dumpSchema(database)
  await migrate(database, { to: 0 })
  const left = [
    ...(await dumpSchema(database)).matchAll(
      /^(?:create )?(?:or replace )?(?:table|partition|index|function) (\S+)/gim,
    ),
  ]
  expect(left.map(([, object]) => object)).toEqual(['kontor_migration'])
  await migrate(database)
  expect(await dumpSchema(database)).toBe(before)
})

test('every column is the one that the code writes', async () => {
  const database = await freshDatabase()
  const rows = await database.reader.query<{ table_name: string; column_name: string; type: string }>(({ knex }) =>
    knex.raw(columnQueries[name]),
  )
  const expected = Object.entries(tables).flatMap(([table, columns]) =>
    Object.entries(columns).map(([column, type]) => {
      const isNullable = type.endsWith('?')
      return `${table}.${column} ${typeNames[name][kindOfName(column)!]}${isNullable ? '' : ' not null'}`
    }),
  )
  expect(rows.map((row) => `${row.table_name}.${row.column_name} ${row.type}`).toSorted()).toEqual(expected.toSorted())
})

test(
  'every key starts with the workspace, but for the directory of workspaces and users, and for what they and ' +
    'their apps sign in with',
  async () => {
    const database = await freshDatabase()
    const dump = await dumpSchema(database)
    const keys = [...dump.matchAll(/primary key \((\w+)/gi)].map(([, first]) => first)
    // On SQLite `field_gram` and `search_document` have no such key, and the history of migrations has one of its own.
    expect(keys).toHaveLength(Object.keys(tables).length + (name === 'sqlite' ? -1 : 1))
    // The users, the history of migrations, what apps were given, apps and consents to them, passkeys, passwords and
    // the links to set them, identities at providers, recovery codes, second factors, sessions, attempts, signing
    // keys, challenges that were used, workspaces: in the order of the dump.
    expect(keys.filter((first) => first !== 'workspace_id')).toEqual([
      'id',
      'number',
      'model',
      'id',
      'user_id',
      'user_id',
      'user_id',
      'token_hash',
      'issuer',
      'user_id',
      'user_id',
      'id',
      'email_hash',
      'kid',
      'challenge_hash',
      'id',
    ])
  },
)

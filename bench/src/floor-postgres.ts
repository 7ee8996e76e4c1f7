import { Pool, TypeOverrides, type PoolClient } from 'pg'
import type { StoredRecord } from './answers.ts'
import { perIndex } from './floor-filters.ts'
import {
  countsOf,
  columns,
  rowsByTable,
  visibleOf,
  visibleTotal,
  type FloorStore,
  type FloorTable,
  type Order,
} from './floor-store.ts'
import { newId, type RecordRows, type Row } from './rows.ts'

const types = new TypeOverrides()
types.setTypeParser(20, Number)
types.setTypeParser(1700, Number)

const columnTypes: Readonly<Record<string, string>> = {
  workspace_id: 'uuid',
  id: 'uuid',
  owner_id: 'uuid',
  created_by: 'uuid',
  updated_by: 'uuid',
  record_id: 'uuid',
  from_id: 'uuid',
  to_id: 'uuid',
  visibility: 'bigint',
  version: 'bigint',
  created_at: 'bigint',
  updated_at: 'bigint',
  is_null: 'bigint',
  position: 'bigint',
  place: 'bigint',
  began_at: 'bigint',
  silent: 'boolean',
}
/** JSON travels as text: an array of jsonb would be quoted twice. */
const jsonColumns: ReadonlySet<string> = new Set(['data', 'feed_end', 'actor', 'payload', 'diff'])
const encoded = (name: string, value: unknown): unknown => (jsonColumns.has(name) ? JSON.stringify(value) : value)

/** An event waits in the outbox for its number. */
const perTable = (text: (table: string, names: readonly string[]) => string) =>
  Object.fromEntries(
    (Object.keys(columns) as FloorTable[]).map((table) => [
      table,
      text(table === 'event' ? 'outbox' : table, columns[table]),
    ]),
  ) as Record<FloorTable, string>

const oneRow = perTable(
  (table, names) =>
    `insert into ${table} (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
)
const documents: ReadonlySet<string> = new Set(['diff', 'feed_end'])
const manyRows = perTable((table, names) => {
  const given = names.map((name, index) => `$${index + 1}::${columnTypes[name] ?? 'text'}[]`)
  const selected = names.map((name) =>
    jsonColumns.has(name) ? `${name}::${documents.has(name) ? 'json' : 'jsonb'}` : name,
  )
  return (
    `insert into ${table} (${names.join(', ')}) select ${selected.join(', ')} from unnest(${given.join(', ')}) ` +
    `as given(${names.join(', ')})`
  )
})

const shown = 'id, version, owner_id, visibility, created_at, created_by, updated_at, updated_by, data'
const ofIndex = perIndex(({ table, id, where }) => ({
  page: `select ${shown.replaceAll(/\w+/g, 'r.$&')} from ${table} as i
    join record as r on r.workspace_id = i.workspace_id and r.id = i.${id}
    where i.workspace_id = $1 and ${where} order by r.created_at, r.id limit $3`.replace(':value', '$2'),
  total: `select count(*) as total from ${table} as i where i.workspace_id = $1 and ${where}`.replace(':value', '$2'),
}))
const scan = `select ${shown}, count(*) over () as total from record
  where workspace_id = $1 and object = $2 and deleted_at is null
    and lower(data #>> '{name,full_name}') like '%' || $3 || '%'
  order by created_at, id limit $4`
const search = `select ${shown.replaceAll(/\w+/g, 'r.$&')}, count(*) over () as total from search_document as s
  join record as r on r.workspace_id = s.workspace_id and r.id = s.record_id
  where s.workspace_id = $1 and s.object = $2 and s.document_text like '%' || $3 || '%'
  order by r.created_at, r.id limit $4`
const get = `select ${shown} from record where workspace_id = $1 and id = $2 and object = $3 and deleted_at is null`
const listIds =
  'select id from record where workspace_id = $1 and object = $2 and deleted_at is null order by created_at, ' +
  'id limit $3'
const byIds = `select ${shown} from record where workspace_id = $1 and id = any($2::uuid[])`
const total = `select coalesce((select total from record_count where workspace_id = $1 and object = $2), 0)
  + coalesce((select sum(delta) from record_count_delta where workspace_id = $1 and object = $2), 0) as total`
/** Values by name, in the order in which `numbered` puts them. */
const given = ['workspaceId', 'object', 'userId', 'limit'] as const
type Values = Readonly<Record<(typeof given)[number], string | number>>
const numbered = (text: string): { readonly text: string; readonly of: (values: Values) => (string | number)[] } => {
  const used = given.filter((name) => text.includes(`:${name}`))
  return {
    text: text.replaceAll(/(?<!:):(\w+)/g, (_, name: (typeof given)[number]) => `$${used.indexOf(name) + 1}`),
    of: (values) => used.map((name) => values[name]),
  }
}
const visible: Readonly<Record<Order, ReturnType<typeof numbered>>> = {
  creation: numbered(visibleOf.creation),
  name: numbered(visibleOf.name),
  score: numbered(visibleOf.score),
}
const totalVisible = numbered(visibleTotal)
const companies =
  "select id from record where workspace_id = $1 and object = 'company' and id = any($2::uuid[]) and deleted_at is null"
const count =
  'insert into record_count_delta (workspace_id, object, id, delta) select $1, * from unnest($2::text[], ' +
  '$3::uuid[], $4::bigint[])'

const insert = (client: PoolClient, table: FloorTable, rows: readonly Row[]) => {
  const names = columns[table]
  if (rows.length === 1)
    return client.query({
      name: table,
      text: oneRow[table],
      values: names.map((name) => encoded(name, rows[0]?.[name])),
    })
  return client.query({
    name: `${table}-many`,
    text: manyRows[table],
    values: names.map((name) => rows.map((row) => encoded(name, row[name]))),
  })
}

/** Everything in one transaction and two round trips. */
const write = async (client: PoolClient, records: readonly RecordRows[], isBare: boolean) => {
  const rows = rowsByTable(records, isBare)
  const [{ workspace_id: workspaceId, created_at: now }] = rows.record as [RecordRows['record']]
  const counts = countsOf(records)
  const wanted = [...new Set(rows.link.map((link) => link['to_id']))]
  const [, known] = await Promise.all([
    client.query('begin'),
    client.query({ name: 'companies', text: companies, values: [workspaceId, wanted] }),
  ])
  if (known.rowCount !== wanted.length) throw new Error('no such company')
  // A statement that fails turns the commit behind it into a rollback.
  await Promise.all([
    ...(Object.keys(rows) as FloorTable[]).map((table) =>
      rows[table].length === 0 ? undefined : insert(client, table, rows[table]),
    ),
    client.query({
      name: 'count',
      text: count,
      values: [workspaceId, [...counts.keys()], [...counts].map(() => newId(now)), [...counts.values()]],
    }),
    client.query('commit'),
  ])
}

const creator =
  (pool: Pool): FloorStore['create'] =>
  async (records, isBare) => {
    const client = await pool.connect()
    try {
      await write(client, records, isBare)
    } catch (error) {
      await client.query('rollback')
      throw error
    } finally {
      client.release()
    }
  }

const filtersOf =
  (pool: Pool): FloorStore['filtered'] =>
  async (workspaceId, object, { by, value }, limit) => {
    if (by === 'scan') {
      const { rows } = await pool.query<StoredRecord & { total: number }>({
        name: 'scan',
        text: scan,
        values: [workspaceId, object, value, limit],
      })
      return { rows, total: rows[0]?.total ?? 0 }
    }
    if (by === 'search') {
      const { rows } = await pool.query<StoredRecord & { total: number }>({
        name: 'search',
        text: search,
        values: [workspaceId, object, value, limit],
      })
      return { rows, total: rows[0]?.total ?? 0 }
    }
    const { page, total: counted } = ofIndex[by]
    const [{ rows }, { rows: totals }] = await Promise.all([
      pool.query<StoredRecord>({ name: `page ${by}`, text: page, values: [workspaceId, value, limit] }),
      pool.query<{ total: number }>({ name: `total ${by}`, text: counted, values: [workspaceId, value] }),
    ])
    return { rows, total: totals[0]?.total ?? 0 }
  }

/** Postgres through a pool, every statement named, statements that need no answer in between sent together. */
export function postgresFloor(url: string): FloorStore {
  const pool = new Pool({
    connectionString: url,
    max: 10,
    pipeline: true,
    types,
    options: '-c max_parallel_workers_per_gather=0 -c jit=off',
  })
  const inOrder = async (workspaceId: string, ids: readonly string[]) => {
    const { rows } = await pool.query<StoredRecord>({ name: 'by-ids', text: byIds, values: [workspaceId, ids] })
    const found = new Map(rows.map((row) => [row.id, row]))
    return ids.map((id) => found.get(id) as StoredRecord)
  }
  return {
    async get(workspaceId, object, id) {
      return (await pool.query<StoredRecord>({ name: 'get', text: get, values: [workspaceId, id, object] })).rows[0]
    },
    async list(workspaceId, object, limit) {
      const page = async () => {
        const { rows } = await pool.query<{ id: string }>({
          name: 'ids',
          text: listIds,
          values: [workspaceId, object, limit],
        })
        return inOrder(
          workspaceId,
          rows.map(({ id }) => id),
        )
      }
      const [rows, { rows: totals }] = await Promise.all([
        page(),
        pool.query<{ total: number }>({ name: 'total', text: total, values: [workspaceId, object] }),
      ])
      return { rows, total: totals[0]?.total ?? 0 }
    },
    filtered: filtersOf(pool),
    async visible(workspaceId, object, userId, order, limit) {
      const values = { workspaceId, object, userId, limit }
      const page = async () => {
        const { rows } = await pool.query<{ id: string }>({
          name: `visible ${order}`,
          text: visible[order].text,
          values: visible[order].of(values),
        })
        return inOrder(
          workspaceId,
          rows.map(({ id }) => id),
        )
      }
      const [rows, { rows: totals }] = await Promise.all([
        page(),
        pool.query<{ total: number }>({
          name: 'total visible',
          text: totalVisible.text,
          values: totalVisible.of(values),
        }),
      ])
      return { rows, total: totals[0]?.total ?? 0 }
    },
    create: creator(pool),
    close: () => pool.end(),
  }
}

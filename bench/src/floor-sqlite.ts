import Driver from 'better-sqlite3'
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
} from './floor-store.ts'
import type { Row } from './rows.ts'

type Stored = Omit<StoredRecord, 'data'> & { data: string }

const decoded = (row: Stored): StoredRecord => ({ ...row, data: JSON.parse(row.data) as StoredRecord['data'] })
const bound = (value: unknown): unknown =>
  typeof value === 'boolean'
    ? Number(value)
    : typeof value === 'object' && value !== null
      ? JSON.stringify(value)
      : value

const shown = 'id, version, owner_id, visibility, created_at, created_by, updated_at, updated_by, data'

/** Where SQLite, without statistics, would take another index. */
const hints: Readonly<Record<string, string>> = { link: 'indexed by link_reverse' }

function filtersOf(db: Driver.Database): FloorStore['filtered'] {
  const ofIndex = perIndex(({ table, id, where }) => {
    const from = `from ${table} as i ${hints[table] ?? ''}`
    const matching = `where i.workspace_id = :workspaceId and ${where}`
    return {
      page: db.prepare<object, Stored>(
        `select ${shown.replaceAll(/\w+/g, 'r.$&')} ${from}
         cross join record as r on r.workspace_id = i.workspace_id and r.id = i.${id}
         ${matching} order by r.created_at, r.id limit :limit`,
      ),
      total: db.prepare<object, { total: number }>(`select count(*) as total ${from} ${matching}`),
    }
  })
  const scan = db.prepare<object, Stored & { total: number }>(
    `select ${shown}, count(*) over () as total from record
     where workspace_id = :workspaceId and object = :object and deleted_at is null
       and lower(data ->> '$.name.full_name') like '%' || :value || '%'
     order by created_at, id limit :limit`,
  )
  const search = db.prepare<object, Stored & { total: number }>(
    `select ${shown.replaceAll(/\w+/g, 'r.$&')}, count(*) over () as total from search_document as s
     join record as r on r.workspace_id = s.workspace_id and r.id = s.record_id
     where s.workspace_id = :workspaceId and s.object = :object and s.document_text like '%' || :value || '%'
     order by r.created_at, r.id limit :limit`,
  )
  return async (workspaceId, object, { by, value }, limit) => {
    if (by === 'scan') {
      const found = scan.all({ workspaceId, object, value, limit })
      return { rows: found.map(decoded), total: found[0]?.total ?? 0 }
    }
    if (by === 'search') {
      const found = search.all({ workspaceId, object, value, limit })
      return { rows: found.map(decoded), total: found[0]?.total ?? 0 }
    }
    const { page, total } = ofIndex[by]
    return {
      rows: page.all({ workspaceId, value, limit }).map(decoded),
      total: total.get({ workspaceId, value })?.total ?? 0,
    }
  }
}

function inserter(db: Driver.Database): (table: FloorTable, rows: readonly Row[]) => void {
  const prepared = Object.entries(columns).map(([table, others]) => {
    const names = table === 'event' ? ['sequence', ...others] : others
    return [
      table,
      {
        names,
        statement: db.prepare(`insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`),
      },
    ] as const
  })
  const inserts = new Map<string, (typeof prepared)[number][1]>(prepared)
  return (table, rows) => {
    const { names, statement } = inserts.get(table) as (typeof prepared)[number][1]
    for (const row of rows) statement.run(...names.map((name) => bound(row[name])))
  }
}

/** One transaction for all rows of the given records. */
function creator(db: Driver.Database): FloorStore['create'] {
  const company = db.prepare(
    "select id from record where workspace_id = ? and object = 'company' and id = ? and deleted_at is null",
  )
  const count = db.prepare(
    `insert into record_count (workspace_id, object, total)
     select ?, value ->> 0, value ->> 1 from json_each(?) where true
     on conflict (workspace_id, object) do update set total = record_count.total + excluded.total`,
  )
  const head = db.prepare<unknown[], { last_sequence: number }>(
    `insert into event_head (workspace_id, last_sequence) values (?, ?)
     on conflict (workspace_id) do update set last_sequence = event_head.last_sequence + excluded.last_sequence
       returning last_sequence`,
  )
  const insert = inserter(db)
  const create = db.transaction((...[given, isBare]: Parameters<FloorStore['create']>) => {
    const rows = rowsByTable(given, isBare)
    const [first] = rows.record
    for (const id of new Set(rows.link.map((link) => link['to_id'])))
      if (company.get(first?.['workspace_id'], id) === undefined) throw new Error('no such company')
    for (const table of Object.keys(rows) as FloorTable[]) if (table !== 'event') insert(table, rows[table])
    if (rows.event.length > 0) {
      const last = head.get(first?.['workspace_id'], rows.event.length)?.last_sequence ?? 0
      insert(
        'event',
        rows.event.map((row, index) => ({ ...row, sequence: last - rows.event.length + 1 + index })),
      )
    }
    count.run(first?.['workspace_id'], JSON.stringify([...countsOf(given)]))
  })
  return async (...given) => create.immediate(...given)
}

/** SQLite with statements prepared once and the durability of the server. */
export function sqliteFloor(path: string): FloorStore {
  const db = new Driver(path, { timeout: 5000 })
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('mmap_size = 268435456')
  const get = db.prepare<string[], Stored>(
    `select ${shown} from record where workspace_id = ? and id = ? and object = ? and deleted_at is null`,
  )
  const ids = db.prepare<unknown[], { id: string }>(
    'select id from record where workspace_id = ? and object = ? and deleted_at is null order by created_at, ' +
      'id limit ?',
  )
  const byIds = db.prepare<string[], Stored>(
    `select ${shown} from record where workspace_id = ? and id in (select value from json_each(?))`,
  )
  const total = db.prepare<string[], { total: number }>(
    'select total from record_count where workspace_id = ? and object = ?',
  )
  const visible = {
    creation: db.prepare<object, { id: string }>(visibleOf.creation),
    name: db.prepare<object, { id: string }>(visibleOf.name),
    score: db.prepare<object, { id: string }>(visibleOf.score),
  }
  const totalVisible = db.prepare<object, { total: number }>(visibleTotal)
  const inOrder = (workspaceId: string, order: readonly string[]): StoredRecord[] => {
    const found = new Map(byIds.all(workspaceId, JSON.stringify(order)).map((row) => [row.id, row]))
    return order.map((id) => decoded(found.get(id) as Stored))
  }
  return {
    async get(workspaceId, object, id) {
      const row = get.get(workspaceId, id, object)
      return row && decoded(row)
    },
    async list(workspaceId, object, limit) {
      return {
        rows: inOrder(
          workspaceId,
          ids.all(workspaceId, object, limit).map(({ id }) => id),
        ),
        total: total.get(workspaceId, object)?.total ?? 0,
      }
    },
    async visible(workspaceId, object, userId, order, limit) {
      const rows = inOrder(
        workspaceId,
        visible[order].all({ workspaceId, object, userId, limit }).map(({ id }) => id),
      )
      return { rows, total: totalVisible.get({ workspaceId, object, userId })?.total ?? 0 }
    },
    filtered: filtersOf(db),
    create: creator(db),
    async close() {
      db.close()
    },
  }
}

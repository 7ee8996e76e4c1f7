import Driver from 'better-sqlite3'
import {
  apart,
  columnsOf,
  companyAliases,
  companyColumns,
  like,
  personColumns,
  type CompanyRow,
  type PersonRow,
  type PlainStore,
  type Where,
} from './store.ts'

const tables = `
  create table company (
    id text primary key, name text not null, domain text, industry text, location text,
    created_at integer not null, updated_at integer not null
  );
  create table person (
    number integer primary key, id text not null unique, first_name text, last_name text, full_name text not null,
    email text unique, phone text, job_title text, company_id text references company (id), linkedin text,
    location text, description text, avatar_url text, score integer,
    created_at integer not null, updated_at integer not null
  );
  create index person_created on person (created_at, id);
  create index person_title on person (job_title, created_at, id);
  create index person_company on person (company_id);`

const trigrams = `
  create virtual table person_name using fts5(full_name, content='person', content_rowid='number', tokenize='trigram');
  create trigger person_name_insert after insert on person begin
    insert into person_name (rowid, full_name) values (new.number, new.full_name);
  end;
  create trigger person_name_update after update of full_name on person begin
    insert into person_name (person_name, rowid, full_name) values ('delete', old.number, old.full_name);
    insert into person_name (rowid, full_name) values (new.number, new.full_name);
  end;`

/** With the durability of the server. */
function open(path: string): Driver.Database {
  const db = new Driver(path, { timeout: 5000 })
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('mmap_size = 268435456')
  db.pragma('foreign_keys = on')
  return db
}

/** The table, its ordinary indexes, and for the tuned one that of trigrams. */
export function createSqliteTables(path: string, isTuned: boolean): void {
  const db = open(path)
  db.exec(tables)
  if (isTuned) db.exec(trigrams)
  db.close()
}

type Stored<Row> = { readonly [Name in keyof Row]: Row[Name] extends Date ? number : Row[Name] }

const decoded = <Row extends { created_at: number; updated_at: number }>(row: Row) => ({
  ...row,
  created_at: new Date(row.created_at),
  updated_at: new Date(row.updated_at),
})
const bound = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value)

/** All rows in one transaction. */
function inserter<Row extends object>(db: Driver.Database, table: string, columns: readonly (keyof Row & string)[]) {
  const marks = columns.map(() => '?').join(', ')
  const statement = db.prepare(`insert into ${table} (${columns.join(', ')}) values (${marks})`)
  const insert = (row: Row) => statement.run(...columns.map((column) => bound(row[column])))
  const insertAll = db.transaction((rows: readonly Row[]) => rows.forEach(insert))
  return (rows: readonly Row[]): void => insertAll(rows)
}

type Listing = (where: Where, limit: number, offset: number) => Awaited<ReturnType<PlainStore['list']>>

/** A page and a count for each, as one writes it first. */
function listing(db: Driver.Database): Listing {
  const of = (condition: string) => ({
    page: db.prepare<unknown[], Stored<PersonRow>>(
      `select ${personColumns.join(', ')} from person ${condition} order by created_at, id limit ? offset ?`,
    ),
    count: db.prepare<unknown[], { total: number }>(`select count(*) as total from person ${condition}`),
  })
  const [all, ofTitle, ofPart] = [of(''), of('where job_title = ?'), of("where full_name like ? escape '\\'")]
  return (where, limit, offset) => {
    const [{ page, count }, values] =
      where === undefined
        ? [all, []]
        : 'jobTitle' in where
          ? [ofTitle, [where.jobTitle]]
          : [ofPart, [like(where.nameHas)]]
    return { rows: page.all(...values, limit, offset).map(decoded), total: count.get(...values)?.total ?? 0 }
  }
}

/**
 * The same tuned: a total that this process keeps, row numbers before rows, trigrams. SQLite keeps the order of a cross
 * join, and without it would walk all persons for those few.
 */
function tunedListing(db: Driver.Database, total: () => number): Listing {
  const plain = listing(db)
  const shown = personColumns.map((column) => `p.${column}`).join(', ')
  const deferred = db.prepare<unknown[], Stored<PersonRow>>(
    `select ${shown} from (select number from person order by created_at, id limit ? offset ?) as page
     cross join person as p on p.number = page.number order by p.created_at, p.id`,
  )
  const found = db.prepare<unknown[], Stored<PersonRow> & { total: number }>(
    `select ${shown}, count(*) over () as total from person_name as n cross join person as p on p.number = n.rowid
     where n.full_name match ? order by p.created_at, p.id limit ? offset ?`,
  )
  return (where, limit, offset) => {
    if (where === undefined) return { rows: deferred.all(limit, offset).map(decoded), total: total() }
    if ('jobTitle' in where) return plain(where, limit, offset)
    const rows = found.all(`"${where.nameHas.replaceAll('"', '""')}"`, limit, offset)
    return { rows: rows.map(decoded), total: rows[0]?.total ?? 0 }
  }
}

/** SQLite with statements prepared once. */
export function sqliteStore(path: string, isTuned: boolean): PlainStore {
  const db = open(path)
  let total = db.prepare<[], { total: number }>('select count(*) as total from person').get()?.total ?? 0
  const get = db.prepare<[string], Stored<PersonRow>>(`select ${personColumns.join(', ')} from person where id = ?`)
  const getWithCompany = db.prepare<[string], Stored<PersonRow> & Record<string, unknown>>(
    `select p.*, ${companyAliases} from person as p left join company as c on c.id = p.company_id where p.id = ?`,
  )
  const updates = new Map<string, Driver.Statement<unknown[], Stored<PersonRow>>>()
  const updateOf = (columns: readonly string[]) => {
    const set = columns.map((column) => `${column} = ?`).join(', ')
    const statement =
      updates.get(set) ??
      db.prepare<unknown[], Stored<PersonRow>>(
        `update person set ${set} where id = ? returning ${personColumns.join(', ')}`,
      )
    updates.set(set, statement)
    return statement
  }
  const list = isTuned ? tunedListing(db, () => total) : listing(db)
  const insertPersons = inserter<PersonRow>(db, 'person', personColumns)
  const insertCompanies = inserter<CompanyRow>(db, 'company', companyColumns)
  return {
    async get(id) {
      const row = get.get(id)
      return row && decoded(row)
    },
    async getWithCompany(id) {
      const row = getWithCompany.get(id)
      if (row === undefined) return undefined
      const [person, company] = apart(decoded(row))
      return [person, decoded(company as never)]
    },
    list: async (where, limit, offset) => list(where, limit, offset),
    async update(id, changes) {
      const columns = columnsOf(changes)
      const row = updateOf(columns).get(...columns.map((column) => bound(changes[column])), id)
      return row && decoded(row)
    },
    async create(rows) {
      insertPersons(rows)
      total += rows.length
    },
    async createCompanies(rows) {
      insertCompanies(rows)
    },
    async close() {
      db.close()
    },
  }
}

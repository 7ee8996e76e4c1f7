import { Pool, type PoolClient } from 'pg'
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
    id uuid primary key, name text not null, domain text, industry text, location text,
    created_at timestamptz not null, updated_at timestamptz not null
  );
  create table person (
    id uuid primary key, first_name text, last_name text, full_name text not null, email text unique, phone text,
    job_title text, company_id uuid references company (id), linkedin text, location text, description text,
    avatar_url text, score integer, created_at timestamptz not null, updated_at timestamptz not null
  );
  create index on person (created_at, id);
  create index on person (job_title, created_at, id);
  create index on person (company_id);`

const trigrams = `
  create extension if not exists pg_trgm;
  create index on person using gin (full_name gin_trgm_ops);`

/** The table, its ordinary indexes, and for the tuned one that of trigrams. */
export async function createPostgresTables(url: string, isTuned: boolean): Promise<void> {
  const pool = new Pool({ connectionString: url, max: 1 })
  await pool.query(tables)
  if (isTuned) await pool.query(trigrams)
  await pool.end()
}

const uuids = new Set(['id', 'company_id'])
const typeOf = (column: string): string =>
  uuids.has(column) ? 'uuid' : column.endsWith('_at') ? 'timestamptz' : column === 'score' ? 'integer' : 'text'

function insertInto<Row extends object>(table: string, columns: readonly (keyof Row & string)[]) {
  const places = columns.map((_, index) => `$${index + 1}`)
  const one = `insert into ${table} (${columns.join(', ')}) values (${places.join(', ')})`
  const arrays = columns.map((column, index) => `$${index + 1}::${typeOf(column)}[]`)
  const many = `insert into ${table} (${columns.join(', ')}) select * from unnest(${arrays.join(', ')})`
  return async (client: Pool | PoolClient, rows: readonly Row[]): Promise<void> => {
    const [first] = rows
    if (rows.length === 1 && first !== undefined)
      await client.query({ name: table, text: one, values: columns.map((column) => first[column]) })
    else
      await client.query({
        name: `${table}-many`,
        text: many,
        values: columns.map((column) => rows.map((row) => row[column])),
      })
  }
}

const insertPersons = insertInto<PersonRow>('person', personColumns)
const insertCompanies = insertInto<CompanyRow>('company', companyColumns)

type Listing = (where: Where, limit: number, offset: number) => ReturnType<PlainStore['list']>

/** A page and a count for each, as one writes it first. */
const listing =
  (pool: Pool): Listing =>
  async (where, limit, offset) => {
    const [name, condition, values] =
      where === undefined
        ? ['all', '', []]
        : 'jobTitle' in where
          ? ['title', 'where job_title = $1', [where.jobTitle]]
          : ['part', 'where full_name ilike $1', [like(where.nameHas)]]
    const [page, count] = await Promise.all([
      pool.query<PersonRow>({
        name: `page ${name}`,
        text: `select * from person ${condition} order by created_at, id
          limit $${values.length + 1} offset $${values.length + 2}`,
        values: [...values, limit, offset],
      }),
      pool.query<{ total: number }>({
        name: `count ${name}`,
        text: `select count(*)::int as total from person ${condition}`,
        values,
      }),
    ])
    return { rows: page.rows, total: count.rows[0]?.total ?? 0 }
  }

/** The page's ids from the index alone, and their rows then. */
const deferred = `select p.* from (select id from person order by created_at, id limit $1 offset $2) as page
  join person as p on p.id = page.id order by p.created_at, p.id`
/** Materialized, so that a limit tempts no plan to walk the order instead of the trigrams. */
const found = `with found as materialized (select * from person where full_name ilike $1)
  select *, (select count(*)::int from found) as total from found order by created_at, id limit $2 offset $3`

/** The same tuned: a total that this process keeps, ids before rows, trigrams. */
async function tunedListing(pool: Pool, total: () => number): Promise<Listing> {
  const plain = listing(pool)
  return async (where, limit, offset) => {
    if (where === undefined) {
      const { rows } = await pool.query<PersonRow>({ name: 'deferred', text: deferred, values: [limit, offset] })
      return { rows, total: total() }
    }
    if ('jobTitle' in where) return plain(where, limit, offset)
    const values = [like(where.nameHas), limit, offset]
    const { rows } = await pool.query<PersonRow & { total: number }>({ name: 'found', text: found, values })
    return { rows, total: rows[0]?.total ?? 0 }
  }
}

/** Postgres through a pool, every statement prepared by its name. */
export async function postgresStore(url: string, isTuned: boolean): Promise<PlainStore> {
  const pool = new Pool({ connectionString: url, max: 10 })
  const counted = await pool.query<{ total: number }>('select count(*)::int as total from person')
  let total = counted.rows[0]?.total ?? 0
  return {
    async get(id) {
      const text = 'select * from person where id = $1'
      return (await pool.query<PersonRow>({ name: 'get', text, values: [id] })).rows[0]
    },
    async getWithCompany(id) {
      const text = `select p.*, ${companyAliases} from person as p
        left join company as c on c.id = p.company_id where p.id = $1`
      const { rows } = await pool.query<PersonRow & Record<string, unknown>>({ name: 'with', text, values: [id] })
      return rows[0] && apart(rows[0])
    },
    list: isTuned ? await tunedListing(pool, () => total) : listing(pool),
    async update(id, changes) {
      const columns = columnsOf(changes)
      const set = columns.map((column, index) => `${column} = $${index + 2}`).join(', ')
      const { rows } = await pool.query<PersonRow>({
        name: `update ${columns.join(' ')}`,
        text: `update person set ${set} where id = $1 returning *`,
        values: [id, ...columns.map((column) => changes[column])],
      })
      return rows[0]
    },
    async create(rows) {
      await insertPersons(pool, rows)
      total += rows.length
    },
    createCompanies: (rows) => insertCompanies(pool, rows),
    close: () => pool.end(),
  }
}

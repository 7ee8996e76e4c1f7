/**
 * An installation of many workspaces: the time until a server serves it, its memory, requests to the first workspace
 * beside those to the last, and the statements of an idle server.
 * `node bench/src/workspaces.ts [WORKSPACES] [sqlite|postgres] [RECORDS]`, with 100 records in each by default.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openConfigured, readConfig } from '@kontor/server/admin'
import { sentWhileIdle } from './automation/sent-while-idle.ts'
import { callerOf, headersOf, inDatabase, makeWorkspace, mib, type Installation } from './installation.ts'
import { startKontor } from './processes.ts'
import { median } from './rates.ts'

const workspaces = Number(process.argv[2] ?? 10_000)
const records = Number(process.argv[4] ?? 100)

/** Rows of so many workspaces are copied in one transaction. */
const perTransaction = 100

const idleMs = 60_000
/** Long enough for what a server does when it starts. */
const settleMs = 20_000
const rounds = 100

type Call = Installation['call']

const slugOf = (number: number): string => (number === 0 ? 'acme' : `acme-${number}`)

/** A tenth of the records are companies; each other one is a person at one of them. */
async function fill(call: Call): Promise<void> {
  const create = async (object: string, count: number, attributesOf: (number: number) => object): Promise<string[]> => {
    const data = Array.from({ length: count }, (_, number) => ({ type: object, attributes: attributesOf(number) }))
    const answer = await call<{ data: { id: string }[] }>('POST', `objects/${object}/records/bulk`, { data })
    return answer.data.map(({ id }) => id)
  }
  const companies = await create('company', Math.ceil(records / 10), (number) => ({ name: `Company ${number}` }))
  await create('person', records - companies.length, (number) => ({
    name: { first_name: 'Ada', last_name: `Person ${number}` },
    company_id: companies[number % companies.length],
  }))
}

type Database = ReturnType<typeof openConfigured>

/** Tables with a workspace that no copy may have: a hash is the key of one row. */
const uncopied = new Set(['api_key', 'retired_key', 'oauth_consent', 'job', 'idempotency_key'])

type Column = { readonly table: string; readonly name: string }

/** Lists the columns of the tables that have a workspace. */
async function columnsOf({ reader }: Database): Promise<Map<string, string[]>> {
  const columns = await reader.query<Column>(({ knex, dialect }) =>
    dialect.name === 'sqlite'
      ? // Numbers of rows are the database's own.
        knex.raw(`select m.name as "table", c.name from sqlite_master m join pragma_table_info(m.name) c
          where m.type = 'table' and not (c.pk = 1 and lower(c.type) = 'integer' and c.name = 'id')`)
      : knex.raw(`select c.relname as "table", a.attname as name
          from pg_class c join pg_attribute a on a.attrelid = c.oid
          where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
            and a.attnum > 0 and not a.attisdropped`),
  )
  const byTable = Map.groupBy(columns, ({ table }) => table)
  return new Map(
    [...byTable]
      .map(([table, some]) => [table, some.map(({ name }) => name)] as const)
      .filter(([table, names]) => names.includes('workspace_id') && !uncopied.has(table)),
  )
}

const quoted = (names: readonly string[], of = ''): string => names.map((name) => `${of}"${name}"`).join(', ')

const ofWorkspace = ['organization_id', 'name', 'schema_epoch', 'settings', 'inbound_rotation', 'created_at']

/** Copies the rows of the first workspace to others, under the same ids: those of a workspace are its own. */
async function copy(database: Database, first: string): Promise<void> {
  const columns = await columnsOf(database)
  const uuid = database.dialect.name === 'postgres' ? '::uuid' : ''
  for (let from = 1; from < workspaces; from += perTransaction) {
    const copies = Array.from({ length: Math.min(perTransaction, workspaces - from) }, (_, at) => from + at).map(
      (number) =>
        `select '01900000-0000-7000-8000-${String(number).padStart(12, '0')}'${uuid} id, '${slugOf(number)}' slug`,
    )
    const others = `(${copies.join(' union all ')}) as other`
    await database.write(async (tx) => {
      const change = (text: string) => tx.change(({ knex }) => knex.raw(text))
      await change(`insert into workspace (id, slug, ${quoted(ofWorkspace)})
        select other.id, other.slug, ${quoted(ofWorkspace, 'w.')}
        from workspace as w, ${others} where w.id = '${first}'`)
      for (const [table, names] of columns) {
        const rest = names.filter((name) => name !== 'workspace_id')
        await change(`insert into ${table} (workspace_id, ${quoted(rest)})
          select other.id, ${quoted(rest, 't.')} from ${table} as t, ${others} where t.workspace_id = '${first}'`)
      }
    })
    console.error(`copied ${from + copies.length - 1} of ${workspaces} workspaces`)
  }
}

/** Prints the medians of requests to the first workspace and to the last, sent in turn. */
async function compare(callers: readonly Call[]): Promise<void> {
  const kinds: Record<string, (call: Call) => Promise<unknown>> = {
    'a page of persons': (call) => call('GET', 'objects/person/resources?page[limit]=25'),
    'a new person': (call) =>
      call('POST', 'objects/person/resources', { data: { type: 'person', attributes: { job_title: 'Analyst' } } }),
  }
  for (const [kind, send] of Object.entries(kinds)) {
    const timed = callers.map((call) => ({ call, times: [] as number[] }))
    for (let round = 0; round < rounds; round++)
      for (const { call, times } of timed) {
        const began = performance.now()
        await send(call)
        times.push(performance.now() - began)
      }
    const [first, last] = timed.map(({ times }) => median(times).toFixed(2))
    console.log(`${kind}: ${first} ms in the first workspace, ${last} ms in the last`)
  }
}

await inDatabase(async (url, folder) => {
  const { workspace } = await makeWorkspace(url, folder)
  const filling = await startKontor(url, folder, {})
  await fill(callerOf(filling, slugOf(0), await headersOf(url, folder, slugOf(0))))
  await sleep(settleMs)
  await filling.stop()
  const database = openConfigured(readConfig({ DATABASE_URL: url, STATEMENT_TIMEOUT_MS: '600000' }))
  await copy(database, workspace.id)
  await database.close()
  const keys = await Promise.all([slugOf(0), slugOf(workspaces - 1)].map((slug) => headersOf(url, folder, slug)))
  const server = await startKontor(url, folder, {})
  const memory = (): string => `${Math.round((server.residentBytes() ?? 0) / mib)} MiB`
  console.log(`started in ${Math.round(server.startedMs)} ms`)
  await sleep(settleMs)
  console.log(`memory after ${settleMs / 1000} s: ${memory()}`)
  await compare(keys.map((headers) => callerOf(server, String(headers['X-Svc-Workspace']), headers)))
  console.log(`memory after requests: ${memory()}`)
  await server.stop()
  const sent = await sentWhileIdle(url, idleMs)
  console.log(`idle: ${((sent.length * 1000) / idleMs).toFixed(1)} statements a second`)
})

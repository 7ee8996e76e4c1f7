import { openAdmin, openConfigured, readConfig } from '@kontor/server/admin'
import { companyAttributes, personAttributes, type Attributes } from './attributes.ts'
import { changedRows, changesApartMs } from './history.ts'
import { documentOf, recordRows, type ObjectName, type RecordRows, type Row, type Writer } from './rows.ts'

type OpenDatabase = Awaited<ReturnType<typeof openAdmin>>['database']

/** The amount of data. The first persons have a history, of as many changes as `changes` says for each. */
export type Amount = { readonly people: number; readonly companies: number; readonly changes: readonly number[] }

/** A workspace full of records. Ids are some from all over it, in the order of creation. */
export type Seeded = Writer & {
  readonly workspace: string
  readonly people: number
  readonly personIds: readonly string[]
  readonly companyIds: readonly string[]
  /** The persons with a history, in the order of `changes`. */
  readonly changedIds: readonly string[]
}

export const workspace = 'bench'
export const adminEmail = 'admin@example.com'
const perTransaction = 2000
const idsKept = 5000
/** A little longer than the server keeps events. */
const eventsKeptMs = 31 * 24 * 3_600_000
/** The longest that the settings allow: tidying up a million records takes longer than a request may. */
const timeoutMs = '600000'

/** Fills a new database with numbered copies of real rows, by the rows that the server's own writes leave. */
export async function seed(url: string, amount: Amount, say: (text: string) => void): Promise<Seeded> {
  const seeded = await fillWorkspace(url, amount, say)
  await settle(url)
  return seeded
}

async function fillWorkspace(
  url: string,
  { people, companies, changes }: Amount,
  say: (text: string) => void,
): Promise<Seeded> {
  const { admin, database, close } = await openAdmin(readConfig({ DATABASE_URL: url, STATEMENT_TIMEOUT_MS: timeoutMs }))
  try {
    const { workspace: made, user } = await admin.createWorkspace({
      slug: workspace,
      name: 'Bench',
      adminEmail,
      adminName: 'Admin',
    })
    const writer: Writer = { workspaceId: made.id, userId: user.id }
    await addScore(database, writer)
    // A millisecond each, so that the order of creation is the order of the numbers.
    let now = Date.now() - eventsKeptMs - companies - sum(changes) * changesApartMs
    const fill = async (
      object: ObjectName,
      first: number,
      end: number,
      attributesOf: (number: number) => Attributes,
      sequence?: number,
    ) => {
      const ids: string[] = []
      // The next rows are made while the database inserts these.
      let inserting = Promise.resolve()
      for (let start = first; start < end; start += perTransaction) {
        const size = Math.min(perTransaction, end - start)
        const rows = Array.from({ length: size }, (_, index) =>
          recordRows(writer, object, attributesOf(start + index), now++),
        )
        await inserting
        inserting = insertRecords(database, rows, sequence === undefined ? undefined : sequence + start - first)
        ids.push(...rows.map(({ record }) => record.id))
        say(`seeding: ${start + size} of ${end} ${object} records`)
      }
      await inserting
      return ids
    }
    const companyIds = await fill('company', 0, companies, companyAttributes)
    const person = (number: number) =>
      personAttributes('person', number, companyIds[(number * 7) % companies] as string)
    const changedIds: string[] = []
    for (const [number, count] of changes.entries()) {
      changedIds.push(await insertChanged(database, writer, recordRows(writer, 'person', person(number), now), count))
      now += count * changesApartMs + 1
    }
    // Earlier rows are older than the events that are kept.
    const trimmed = companies + changes.length + sum(changes)
    now = Date.now() - people
    const personIds = await fill('person', changes.length, people, person, trimmed + 1)
    const totals = Object.entries({ company: companies, person: people })
    await forgetEvents(database, made.id)
    await insert(database, {
      record_count: totals.map(([object, total]) => ({ workspace_id: made.id, object, total })),
      event_head: [{ workspace_id: made.id, last_sequence: trimmed + personIds.length }],
    })
    await database.write((tx) => tx.change(({ knex }) => knex.raw(linkCounts, [made.id])))
    return { ...writer, workspace, people, personIds: some(personIds), companyIds: some(companyIds), changedIds }
  } finally {
    await close()
  }
}

/** Those of making the workspace, which came before all that has been trimmed. */
const forgetEvents = (database: OpenDatabase, workspaceId: string): Promise<void> =>
  database.write(async (tx) => {
    for (const table of ['outbox', 'event_head'])
      await tx.change(({ knex }) => knex(table).where('workspace_id', workspaceId).delete())
  })

/** As creating the persons one by one would have counted them. */
const linkCounts = `insert into record_count (workspace_id, object, total)
  select workspace_id, relationship || '/to_id/' || cast(to_id as text), count(*) from link
  where workspace_id = ? group by workspace_id, relationship, to_id`

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const some = (ids: readonly string[]): string[] => {
  const every = Math.ceil(ids.length / idsKept)
  return ids.filter((_, index) => index % every === 0)
}

/** A table of the server. */
export type Table = Parameters<Parameters<Parameters<OpenDatabase['write']>[0]>[0]['insert']>[0]

const insert = (database: OpenDatabase, rows: Partial<Record<Table, readonly Row[]>>): Promise<void> =>
  database.write(async (tx) => {
    for (const [table, given] of Object.entries(rows)) await tx.insert(table as Table, given)
  })

/** With their events, numbered from a sequence on; without one, they have been trimmed. */
const insertRecords = (
  database: OpenDatabase,
  rows: readonly RecordRows[],
  sequence: number | undefined,
): Promise<void> =>
  insert(database, {
    record: rows.map(({ record }) => record),
    field_text: rows.map(({ fieldText }) => fieldText),
    search_document: rows.map(({ document }) => document),
    unique_key: rows.map(({ uniqueKey }) => uniqueKey),
    link: rows.flatMap(({ link }) => (link === undefined ? [] : [link])),
    event: sequence === undefined ? [] : rows.map(({ event }, index) => ({ ...event, sequence: sequence + index })),
    activity: rows.map(({ activity }) => activity),
  })

/** A record and its changes; its id. */
async function insertChanged(
  database: OpenDatabase,
  writer: Writer,
  created: RecordRows,
  changes: number,
): Promise<string> {
  const { record, activity } = changedRows(writer, created, changes)
  const document = documentOf(writer.workspaceId, 'person', record.id, record.data, record.created_at)
  await insertRecords(database, [{ ...created, record, document }], undefined)
  for (let start = 0; start < changes; start += perTransaction)
    await insert(database, { activity: activity.slice(start, start + perTransaction) })
  return record.id
}

type Schema = { readonly properties: Readonly<Record<string, object>> }

/** Adds a number to the persons of a workspace, as a change of the schema leaves it, that no list has used yet. */
const addScore = (database: OpenDatabase, { workspaceId, userId }: Writer): Promise<void> =>
  database.write(async (tx) => {
    const key = { workspace_id: workspaceId, object: 'person' }
    const [first] = await tx.query<{ document: Schema; created_at: number }>(({ knex }) =>
      knex('schema_version').select('document', 'created_at').where(key),
    )
    if (first === undefined) throw new Error('A workspace has no persons')
    const score = { type: ['number', 'null'], title: 'Score', xSvcType: 'number' }
    const document = { ...first.document, properties: { ...first.document.properties, score } }
    await tx.insert('schema_version', [
      { ...key, version: 2, document, created_at: first.created_at, created_by: userId },
    ])
    await tx.updateByKey('workspace', ['id'], [{ id: workspaceId, schema_epoch: 2 }])
  })

/**
 * Does what Postgres does by itself in a database that has been running for a while; SQLite keeps no statistics unless
 * asked to.
 */
export async function settle(url: string): Promise<void> {
  const database = openConfigured(readConfig({ DATABASE_URL: url, STATEMENT_TIMEOUT_MS: timeoutMs }))
  try {
    if ('pool' in database) await database.pool.query('vacuum (analyze)')
  } finally {
    await database.close()
  }
}

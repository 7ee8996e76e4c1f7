import { openAdmin, readConfig } from '@kontor/server/admin'
import { companyAttributes, personAttributes } from './attributes.ts'
import type { Options } from './options.ts'
import { recordRows, type ObjectName, type RecordRows, type Writer } from './rows.ts'

type OpenDatabase = Awaited<ReturnType<typeof openAdmin>>['database']

/** A workspace full of records, and who may read it. */
export type Seeded = Writer & {
  readonly workspace: string
  readonly token: string
  readonly personIds: readonly string[]
  readonly companyIds: readonly string[]
}

const workspace = 'bench'
const adminEmail = 'admin@example.com'
const perTransaction = 2000

/** Fills a new database with numbered copies of real rows, by the rows that the server's own create leaves. */
export async function seed(url: string, { people, companies }: Options, say: (text: string) => void): Promise<Seeded> {
  const { admin, database, close } = await openAdmin(readConfig({ DATABASE_URL: url }))
  try {
    const { workspace: made, user } = await admin.createWorkspace({ slug: workspace, name: 'Bench', adminEmail, adminName: 'Admin' })
    const writer: Writer = { workspaceId: made.id, userId: user.id }
    // A millisecond each, so that the order of creation is the order of the numbers, and ends before what is measured.
    let now = Date.now() - people - companies
    const fill = async (object: ObjectName, count: number, attributesOf: (number: number) => ReturnType<typeof companyAttributes>) => {
      const ids: string[] = []
      for (let start = 0; start < count; start += perTransaction) {
        const size = Math.min(perTransaction, count - start)
        const rows = Array.from({ length: size }, (_, index) => recordRows(writer, object, attributesOf(start + index), now++))
        await insert(database, rows)
        ids.push(...rows.map(({ record }) => record.id))
        say(`seeding: ${ids.length} of ${count} ${object} records`)
      }
      await database.write((tx) => tx.insert('record_count', [{ workspace_id: made.id, object, total: count }]))
      return ids
    }
    const companyIds = await fill('company', companies, companyAttributes)
    const personIds = await fill('person', people, (number) => personAttributes('person', number, companyIds[(number * 7) % companies] as string))
    await settle(database)
    return { ...writer, workspace, token: (await admin.token(adminEmail)).access_token, personIds, companyIds }
  } finally {
    await close()
  }
}

const insert = (database: OpenDatabase, rows: readonly RecordRows[]): Promise<void> =>
  database.write(async (tx) => {
    await tx.insert(
      'record',
      rows.map(({ record }) => record),
    )
    await tx.insert(
      'field_text',
      rows.map(({ fieldText }) => fieldText),
    )
    await tx.insert(
      'unique_key',
      rows.map(({ uniqueKey }) => uniqueKey),
    )
    await tx.insert(
      'link',
      rows.flatMap(({ link }) => (link === undefined ? [] : [link])),
    )
    await tx.insert(
      'outbox',
      rows.map(({ outbox }) => outbox),
    )
    await tx.insert(
      'activity',
      rows.map(({ activity }) => activity),
    )
  })

/** What a database that has been running for a while has done by itself. */
async function settle(database: OpenDatabase): Promise<void> {
  if ('pool' in database) await database.pool.query('vacuum (analyze)')
  else database.migrationConnection.exec('analyze')
}

import { isDeepStrictEqual } from 'node:util'
import { openConfigured, readConfig } from '@kontor/server/admin'
import { personAttributes } from './attributes.ts'
import type { Contender, Pair } from './rates.ts'
import type { Seeded } from './seed.ts'

/** Ids, times, cursors, ports and numbers of copies differ; everything else must not. */
const levelled = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]{12}Z|\b1\d{12}\b/g, '<time>')
    .replaceAll(/(page%5Bafter%5D=)[\w-]+/g, '$1<cursor>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '<host>')
    .replaceAll(/[a-z]+\d+(?=[@ ]example)/g, '<address>')
    .replaceAll(/(?<=\p{L} )\d+/gu, '<number>')

async function body(target: Contender, method: string, path: string, sent?: object): Promise<string> {
  const init = sent === undefined ? { method } : { method, body: JSON.stringify(sent) }
  const response = await fetch(`http://127.0.0.1:${target.port}${path}`, {
    ...init,
    headers: { ...target.headers, 'Content-Type': 'application/json' },
  })
  if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}: ${await response.text()}`)
  return response.text()
}

/** Fails unless the floor answers with our bytes to what it is measured by; otherwise it would do other work. */
export async function assertSamePages({ what, other, ours: { of, request } }: Pair): Promise<void> {
  for (const path of request.paths.slice(0, 3)) {
    const [theirs, mine] = [await body(other.of, 'GET', path), await body(of, 'GET', path)]
    assertSame(`answer of the floor to "${what}"`, levelled(theirs), levelled(mine))
  }
}

/** The database whose seeded rows are compared, and the server that writes beside them. */
type Compared = { readonly url: string; readonly seeded: Seeded; readonly ours: Contender }

/** Fails unless the seeder leaves the rows that our own writes leave. */
export async function assertSeededRows({ url, seeded, ours }: Compared): Promise<void> {
  const records = `/v1/workspaces/${seeded.workspace}/objects/person/records`
  const rows = (id: string) => rowsOf(url, seeded.workspaceId, id)
  const create = async (number: number): Promise<Single['data']> => {
    const attributes = personAttributes('check', number, seeded.companyIds[0] as string)
    return (JSON.parse(await body(ours, 'POST', records, { data: { type: 'person', attributes } })) as Single).data
  }
  // The first persons are those with a history; the last of them was changed once, and the next never.
  const next = seeded.changedIds.length
  const made = await create(next)
  assertSameRows('seeded rows', await rows(seeded.personIds[0] as string), await rows(made.id))
  const changed = await create(next - 1)
  await body(ours, 'PATCH', `${records}/${changed.id}`, {
    data: { type: 'person', id: changed.id, attributes: { job_title: `${changed.attributes.job_title} 1` } },
  })
  // Older than the events that are kept.
  const expected = { ...(await rows(changed.id)), event: [] }
  assertSameRows('seeded rows of a change', await rows(seeded.changedIds.at(-1) as string), expected)
}

type Single = { readonly data: { readonly id: string; readonly attributes: { readonly job_title: string } } }

function assertSame(what: string, others: unknown, ours: unknown): void {
  if (!isDeepStrictEqual(others, ours))
    throw new Error(`The ${what} is not ours:\n${shortened(others)}\n${shortened(ours)}`)
}

type Rows = Readonly<Record<string, readonly string[]>>

function assertSameRows(what: string, others: Rows, ours: Rows): void {
  for (const table of Object.keys(ours)) assertSame(`${what} in ${table}`, others[table], ours[table])
}

const shortened = (value: unknown): string => JSON.stringify(value).slice(0, 3000)

/** The tables that a record goes to, and where only some columns can be compared, which. */
const tables: Readonly<Record<string, readonly string[]>> = {
  record: ['*'],
  field_text: ['*'],
  field_number: ['*'],
  field_gram: ['*'],
  // Its place in the index comes later.
  search_document: ['workspace_id', 'record_id', 'object', 'created_at', 'title_text', 'document_text'],
  unique_key: ['*'],
  link: ['*'],
  // It may have its number already, or wait for it.
  event: ['workspace_id', 'id', 'type', 'object', 'record_id', 'actor', 'silent', 'payload', 'created_at'],
  activity: ['*'],
}

/** Everything that the tables hold of a record, without what must differ. */
async function rowsOf(url: string, workspaceId: string, id: string): Promise<Rows> {
  const database = openConfigured(readConfig({ DATABASE_URL: url }))
  const found: Record<string, string[]> = {}
  try {
    for (const [table, columns] of Object.entries(tables)) {
      const key = table === 'record' ? 'id' : table === 'link' ? 'from_id' : 'record_id'
      const rows = await database.reader.query<object>(({ knex }) => {
        const of = (name: string) =>
          knex(name)
            .select(...columns)
            .where({ workspace_id: workspaceId, [key]: id })
        return table === 'event' ? of('event').unionAll(of('outbox')) : of(table)
      })
      found[table] = rows.map((row) => levelled(JSON.stringify(row))).toSorted()
    }
  } finally {
    await database.close()
  }
  return found
}

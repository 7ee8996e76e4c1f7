import { isDeepStrictEqual } from 'node:util'
import { openConfigured, readConfig } from '@kontor/server/admin'
import { personAttributes } from './attributes.ts'
import type { Seeded } from './seed.ts'
import { columns } from './floor-store.ts'
import type { Target } from './promises.ts'

/** Ids, times, cursors, ports and numbers of copies differ; everything else must not. */
const levelled = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]{12}Z|\b1\d{12}\b/g, '<time>')
    .replaceAll(/(page%5Bafter%5D=)[\w-]+/g, '$1<cursor>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '<host>')
    .replaceAll(/[a-z]+\d+@example/g, '<address>@example')
    .replaceAll(/(?<=\p{L} )\d+/gu, '<number>')

async function body(target: Target, method: string, path: string, sent?: object): Promise<string> {
  const init = sent === undefined ? { method } : { method, body: JSON.stringify(sent) }
  const response = await fetch(`http://127.0.0.1:${target.port}${path}`, { ...init, headers: { ...target.headers, 'Content-Type': 'application/json' } })
  if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}: ${await response.text()}`)
  return response.text()
}

/** Fails unless the floor answers with our bytes and leaves our rows; otherwise it would do other work than we do. */
export async function assertSameWork(url: string, seeded: Seeded, floor: Target, ours: Target): Promise<void> {
  const objects = `/v1/workspaces/${seeded.workspace}/objects/person`
  const person = (tag: string) => ({ type: 'person', attributes: personAttributes(tag, 0, seeded.companyIds[0] as string) })
  const both = async (what: string, method: string, path: string, sent?: (tag: string) => object): Promise<[floor: string, ours: string]> => {
    const answers = [await body(floor, method, path, sent?.('checka')), await body(ours, method, path, sent?.('checkb'))] as const
    const [a, b] = answers.map(levelled)
    if (a !== b) throw new Error(`The floor's answer to "${what}" is not ours:\n${a?.slice(0, 1500)}\n${b?.slice(0, 1500)}`)
    return [...answers]
  }
  await both('get', 'GET', `${objects}/records/${seeded.personIds[7]}`)
  await both('list', 'GET', `${objects}/resources?page%5Blimit%5D=50`)
  const created = await both('create', 'POST', `${objects}/records`, (tag) => ({ data: person(tag) }))
  const many = await both('bulk', 'POST', `${objects}/records/bulk`, (tag) => ({ data: [person(`${tag}x`), person(`${tag}y`)] }))
  const ids = [...created, ...many].map((text) => [(JSON.parse(text) as { data: Identified | Identified[] }).data].flat().map(({ id }) => id))
  const [one, oneOfOurs, two, twoOfOurs] = await Promise.all(ids.map((given) => rowsOf(url, seeded.workspaceId, given)))
  const seededRows = await rowsOf(url, seeded.workspaceId, [seeded.personIds[0] as string])
  if (!isDeepStrictEqual(one, oneOfOurs)) throw new Error(`The floor's rows are not ours:\n${JSON.stringify(one)}\n${JSON.stringify(oneOfOurs)}`)
  if (!isDeepStrictEqual(two, twoOfOurs)) throw new Error(`The floor's rows of a bulk are not ours:\n${JSON.stringify(two)}\n${JSON.stringify(twoOfOurs)}`)
  if (!isDeepStrictEqual(seededRows, oneOfOurs)) throw new Error(`The seeded rows are not ours:\n${JSON.stringify(seededRows)}\n${JSON.stringify(oneOfOurs)}`)
}

type Identified = { readonly id: string }

/** Everything that the tables hold of records, without what must differ. */
async function rowsOf(url: string, workspaceId: string, ids: readonly string[]): Promise<Record<string, string[]>> {
  const database = openConfigured(readConfig({ DATABASE_URL: url }))
  const found: Record<string, string[]> = {}
  try {
    for (const table of [...Object.keys(columns), 'field_number']) {
      const key = table === 'record' ? 'id' : table === 'link' ? 'from_id' : 'record_id'
      const rows = await database.reader.query<object>(({ knex }) =>
        knex(table)
          .select('*')
          .where('workspace_id', workspaceId)
          .whereIn(key, [...ids]),
      )
      found[table] = rows.map((row) => levelled(JSON.stringify(row))).toSorted()
    }
  } finally {
    await database.close()
  }
  return found
}

import { isDeepStrictEqual } from 'node:util'
import { openConfigured, readConfig } from '@kontor/server/admin'
import { personAttributes } from './attributes.ts'
import { columns } from './floor-store.ts'
import { resourcesOf } from './paths.ts'
import type { Contender, Pair } from './rates.ts'
import type { Seeded } from './seed.ts'

/** The two that write, and where. */
type Compared = { readonly url: string; readonly seeded: Seeded; readonly floor: Contender; readonly ours: Contender }

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

type Both = (
  what: string,
  method: string,
  path: string,
  sent?: (tag: string) => object,
) => Promise<readonly [floor: string, ours: string]>

const bothOf =
  ({ floor, ours }: Compared): Both =>
  async (what, method, path, sent) => {
    const answers = [
      await body(floor, method, path, sent?.('checka')),
      await body(ours, method, path, sent?.('checkb')),
    ] as const
    assertSame(`answer to "${what}"`, levelled(answers[0]), levelled(answers[1]))
    return answers
  }

/**
 * Fails unless the floor answers with our bytes and leaves our rows, and the seeder too; otherwise they would do other
 * work than we do.
 */
export async function assertSameWork(compared: Compared): Promise<void> {
  const both = bothOf(compared)
  const { workspace, personIds } = compared.seeded
  await both('get', 'GET', `/v1/workspaces/${workspace}/objects/person/records/${personIds[7]}`)
  await both('list', 'GET', resourcesOf({ workspace }))
  await compareWrites(compared, both)
}

/** The same for the page that two are to be measured by. */
export async function assertSamePage(compared: Compared, { what, ours: { request } }: Pair): Promise<void> {
  for (const path of request.paths.slice(0, 3)) await bothOf(compared)(what, request.method, path)
}

/**
 * The same for filters, which have indexes built that the floor does not write: to be called when nothing is created
 * any more beside it.
 */
export async function assertSameFilters(
  compared: Compared,
  { searches }: { readonly searches: boolean },
): Promise<void> {
  const { seeded, ours } = compared
  const attributesOf = async (id: string | undefined) =>
    (JSON.parse(await body(ours, 'GET', `/v1/workspaces/${seeded.workspace}/objects/person/records/${id}`)) as Single)
      .data.attributes
  const { name, company_id: company, score } = await attributesOf(seeded.personIds[7])
  // A number so long that no other record has it, whether as a word or within one.
  const number = (await attributesOf(seeded.personIds.at(-1))).name.full_name.split(' ').at(-1)
  const filters = {
    'name is': `filter%5Bname%5D=${encodeURIComponent(name.full_name)}`,
    'company is': `filter%5Bcompany_id%5D=${company}`,
    'score is': `filter%5Bscore%5D=${score}`,
    ...(searches && { search: `search=${number}` }),
    'name contains': `filter%5Bname%5D%5BContains%5D=${encodeURIComponent(name.full_name.slice(-8))}`,
  }
  for (const [what, filter] of Object.entries(filters))
    await bothOf(compared)(`list where ${what}`, 'GET', resourcesOf(seeded, filter))
}

type Single = {
  readonly data: {
    readonly attributes: {
      readonly name: { readonly full_name: string }
      readonly company_id: string
      readonly score: number
    }
  }
}

async function compareWrites({ url, seeded, ours }: Compared, both: Both): Promise<void> {
  const records = `/v1/workspaces/${seeded.workspace}/objects/person/records`
  const person = (tag: string, number: number) => ({
    type: 'person',
    attributes: personAttributes(tag, number, seeded.companyIds[0] as string),
  })
  const rows = (ids: readonly string[]) => rowsOf(url, seeded.workspaceId, ids)
  // The first persons are those with a history; the last of them was changed once, and the next never.
  const next = seeded.changedIds.length
  const [made, ourMade] = idsOf(await both('create', 'POST', records, (tag) => ({ data: person(tag, next) })))
  const [many, ourMany] = idsOf(
    await both('bulk', 'POST', `${records}/bulk`, (tag) => ({
      data: [person(`${tag}x`, next), person(`${tag}y`, next - 1)],
    })),
  )
  assertSameRows('rows of a record', await rows(made), await rows(ourMade))
  assertSameRows('rows of a bulk', await rows(many), await rows(ourMany))
  assertSameRows('seeded rows', await rows(seeded.personIds.slice(0, 1)), await rows(ourMade))
  const id = ourMany.at(-1) as string
  const title = person('', next - 1).attributes['job_title'] as string
  await body(ours, 'PATCH', `${records}/${id}`, {
    data: { type: 'person', id, attributes: { job_title: `${title} 1` } },
  })
  // Older than the events that are kept.
  assertSameRows('seeded rows of a change', await rows(seeded.changedIds.slice(-1)), {
    ...(await rows([id])),
    event: [],
  })
}

const idsOf = ([floor, ours]: readonly [string, string]): [floor: string[], ours: string[]] => [
  idsIn(floor),
  idsIn(ours),
]

const idsIn = (text: string): string[] =>
  [(JSON.parse(text) as { readonly data: Identified | Identified[] }).data].flat().map(({ id }) => id)

function assertSame(what: string, others: unknown, ours: unknown): void {
  if (!isDeepStrictEqual(others, ours))
    throw new Error(`The ${what} of the floor or the seeder is not ours:\n${shortened(others)}\n${shortened(ours)}`)
}

function assertSameRows(what: string, others: Record<string, string[]>, ours: Record<string, string[]>): void {
  for (const table of Object.keys(ours)) assertSame(`${what} in ${table}`, others[table], ours[table])
}

const shortened = (value: unknown): string => JSON.stringify(value).slice(0, 3000)

type Identified = { readonly id: string }

/** Everything that the tables hold of records, without what must differ. */
async function rowsOf(url: string, workspaceId: string, ids: readonly string[]): Promise<Record<string, string[]>> {
  const database = openConfigured(readConfig({ DATABASE_URL: url }))
  const found: Record<string, string[]> = {}
  try {
    for (const table of [...Object.keys(columns), 'field_number', 'field_gram']) {
      const key = table === 'record' ? 'id' : table === 'link' ? 'from_id' : 'record_id'
      const rows = await database.reader.query<object>(({ knex }) => {
        const of = (name: string) =>
          knex(name)
            .where('workspace_id', workspaceId)
            .whereIn(key, [...ids])
        // It may have its number already, or wait for it.
        if (table === 'search_document') return of(table).select(...columns.search_document)
        return table === 'event'
          ? of('event')
              .select(...columns.event)
              .unionAll(of('outbox').select(...columns.event))
          : of(table).select('*')
      })
      found[table] = rows.map((row) => levelled(JSON.stringify(row))).toSorted()
    }
  } finally {
    await database.close()
  }
  return found
}

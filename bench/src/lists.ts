import { invoke } from '@kontor/server'
import { openConfigured, readConfig } from '@kontor/server/admin'
import type { Fact } from './facts.ts'
import { appOver } from './in-process.ts'
import { resourcesOf } from './paths.ts'
import { median, type Pair } from './rates.ts'
import type { Stand } from './stand.ts'

const members = 10_000
const compiledMsMax = 1

/** As many persons as are wanted have a lower score than this. */
const scoreBelow = ({ people }: Stand['seeded']): number => Math.max(1, Math.round((members / people) * 10_000))

/** A page of a list by SQL, beside the same page of all persons under the same filter. */
export async function sqlListPair({ seeded, ours, baseUrl }: Stand): Promise<Pair> {
  const below = scoreBelow(seeded)
  const collection = `${baseUrl}/workspaces/${seeded.workspace}/objects/person/lists`
  const body = { title: 'By SQL', type: 'dynamic', query: { sql: `SELECT p.* FROM person p WHERE p.score < ${below}` } }
  const response = await fetch(collection, {
    method: 'POST',
    headers: { ...ours.headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { data } = (await response.json()) as { readonly data?: { readonly id: string } }
  if (data === undefined) throw new Error(`No list: ${response.status}`)
  const list = new URL(`${collection}/${data.id}/resources?page%5Blimit%5D=50`)
  return {
    what: `page of a list by SQL with ${members.toLocaleString('en-US')} members`,
    atLeast: 1 / 1.5,
    beside: 'the same filter',
    connections: 4,
    other: {
      of: ours,
      request: { method: 'GET', paths: [resourcesOf(seeded, `filter%5Bscore%5D%5BLess%20than%5D=${below}`)] },
    },
    ours: { of: ours, request: { method: 'GET', paths: [list.pathname + list.search] } },
  }
}

const times = 400

/** Measures parsing and compiling the SQL of a list: creating one by SQL, beside creating one by the same filter. */
export async function measureSql({ url, seeded, authorization }: Stand): Promise<Fact[]> {
  const database = openConfigured(readConfig({ DATABASE_URL: url }))
  try {
    const app = appOver(database, 'http://localhost')
    const call = app.calls.find((one) => one.name === 'lists.create')
    if (call === undefined) throw new Error('There are no lists')
    const create = async (query: object): Promise<number> => {
      const input = { workspace: seeded.workspace, object: 'person', body: { title: 'One', type: 'dynamic', query } }
      const started = performance.now()
      const answer = {
        authorization,
        surface: 'rest' as const,
        scope: { workspace: seeded.workspace },
        readInput: async () => input,
        idempotencyKey: undefined,
        ifMatch: undefined,
        requestId: 'bench',
      }
      await invoke(app.runtime, call, answer, {})
      return performance.now() - started
    }
    const [bySql, byFilter]: [number[], number[]] = [[], []]
    for (let time = 0; time < times; time++) {
      bySql.push(
        await create({
          sql:
            `SELECT p.* FROM person p LEFT JOIN company c ON p.company_id = c._id WHERE (c.industry = 'Steel' ` +
            `OR p.score BETWEEN ${time} AND ${time + 9}) AND p.job_title ILIKE '%${time}%' ORDER BY p.name`,
        }),
      )
      byFilter.push(
        await create({
          filter: {
            and: [
              {
                or: [
                  { field: 'company_id.industry', op: 'Is', value: 'Steel' },
                  {
                    and: [
                      { field: 'score', op: 'gte', value: time },
                      { field: 'score', op: 'lte', value: time + 9 },
                    ],
                  },
                ],
              },
              { field: 'job_title', op: 'Contains', value: `${time}` },
            ],
          },
        }),
      )
    }
    // The first half warms the compiler up.
    const [sql, filter] = [bySql, byFilter].map((all) => median(all.slice(times / 2))) as [number, number]
    const more = sql - filter
    return [
      {
        what: `parse and compile a list's SQL < ${compiledMsMax} ms`,
        value: `${more.toFixed(2)} ms (${sql.toFixed(2)} ms to create it, ${filter.toFixed(2)} ms by the same filter)`,
        isMet: more < compiledMsMax,
      },
    ]
  } finally {
    await database.close()
  }
}

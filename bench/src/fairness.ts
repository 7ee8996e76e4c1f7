import { openAdmin, readConfig } from '@kontor/server/admin'
import type { Fact } from './facts.ts'
import { resourcesOf } from './paths.ts'
import { startKontor, startLoad, type Load } from './processes.ts'
import { median } from './rates.ts'
import type { Options } from './options.ts'
import type { Stand } from './stand.ts'

/** As many connections as one key may have below its rate limit, in a workspace whose filters scan all persons. */
const floodingConnections = 120

/** The most that others may make a small workspace wait, as a multiple of its wait alone. */
const ratioMax = 3

const people = 12

/** Filters by a field without an index, each another one: of those that are alike one is asked for all. */
const filters = Array.from({ length: 101 }, (_, score) => `filter%5Bscore%5D=${score}`)
const smallFilters = ['Ada', 'Grace', 'Edsger'].map((name) => `filter%5Bname%5D%5BContains%5D=${name}`)

type Small = { readonly workspace: string; readonly headers: Readonly<Record<string, string>> }

/**
 * The time in which 99 of 100 filters of a small workspace are answered, alone and beside one that floods the server.
 */
export async function measureFairness(
  stand: Stand,
  folder: string,
  load: Load,
  options: Options,
  say: (text: string) => void,
): Promise<Fact[]> {
  const server = await startKontor(stand.url, folder, {}, { FIELD_INDEX_THRESHOLD: '1000000000' })
  const flood = startLoad()
  try {
    const small = await makeSmall(stand.url, server.baseUrl)
    const { port } = server
    const asking = { method: 'GET', connections: 1, port } as const
    const p99 = async (seconds: number): Promise<number> => {
      const paths = smallFilters.map((filter) => resourcesOf(small, filter))
      const result = await load.run({ ...asking, paths, headers: small.headers, seconds })
      if (result.failures > 0) throw new Error(`The small workspace was refused: ${result.firstFailure}`)
      return result.p99
    }
    const paths = filters.map((filter) => resourcesOf(stand.seeded, filter))
    const alone: number[] = []
    const beside: number[] = []
    // The first has its statements prepared.
    await p99(1)
    for (let round = 1; round <= options.rounds; round++) {
      alone.push(await p99(options.seconds))
      const { headers } = stand.ours
      const [p99Beside] = await Promise.all([
        p99(options.seconds),
        flood.run({ ...asking, paths, headers, connections: floodingConnections, seconds: options.seconds }),
      ])
      beside.push(p99Beside)
      say(`fair ${round} of ${options.rounds}: ${alone.at(-1)?.toFixed(1)} ms alone, ${p99Beside.toFixed(1)} ms beside`)
    }
    const ratio = median(beside) / median(alone)
    return [
      {
        what: `p99 of a small workspace beside one that floods ≤ ${ratioMax} times its own`,
        value:
          `${ratio.toFixed(1)} times: ${median(alone).toFixed(1)} ms alone, ` +
          `${median(beside).toFixed(1)} ms beside`,
        isMet: ratio <= ratioMax,
      },
    ]
  } finally {
    flood.stop()
    await server.stop()
  }
}

/** A workspace of a few persons, of its own each time. */
async function makeSmall(url: string, baseUrl: string): Promise<Small> {
  const workspace = `small-${process.pid}`
  const adminEmail = `${workspace}@example.com`
  const { admin, close } = await openAdmin(readConfig({ DATABASE_URL: url }))
  await admin.createWorkspace({ slug: workspace, name: 'Small', adminEmail })
  const headers = { Authorization: `Bearer ${(await admin.token(adminEmail)).access_token}` }
  await close()
  const response = await fetch(`${baseUrl}/workspaces/${workspace}/objects/person/records/bulk`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      data: Array.from({ length: people }, (_, number) => ({
        type: 'person',
        attributes: { name: { first_name: 'Ada', last_name: `Number ${number}` } },
      })),
    }),
  })
  if (!response.ok) throw new Error(`No persons in the small workspace: ${await response.text()}`)
  return { workspace, headers }
}

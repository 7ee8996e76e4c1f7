import { awaitIndexes } from '../indexes.ts'
import { authorizationOf } from '../keys.ts'
import { startKontor } from '../processes.ts'
import { settle, type Seeded } from '../seed.ts'
import { collectPlans, type ExplainedQuery } from './collect.ts'
import type { ExplainOptions } from './explain.ts'
import { listQueries } from './queries.ts'

/** Has every index built that a list could use, and then explains every list of a seeded database. */
export async function explainLists(
  url: string,
  dataDir: string,
  seeded: Seeded,
  settings: Readonly<Record<string, string>>,
  say: (text: string) => void,
  options?: ExplainOptions,
): Promise<ExplainedQuery[]> {
  const queries = listQueries(seeded)
  const server = await startKontor(url, dataDir, {}, settings)
  const authorization = await authorizationOf(url, server.baseUrl)
  // A feed is read by its record.
  const resources = queries.filter(({ path }) => path.includes('/resources'))
  await awaitIndexes(url, { port: server.port, headers: { Authorization: authorization } }, resources, say)
  await server.stop()
  await settle(url)
  return collectPlans(url, authorization, queries, options)
}

import { openConfigured, readConfig } from '@kontor/server/admin'
import type { Fact } from '../facts.ts'
import type { Options } from '../options.ts'
import { waitUntil } from '../wait.ts'
import { createCompanies, type AutomationStand } from './stand.ts'

/** More than the members of a list that fit the memory of a query of Postgres. */
const many = 300_000
const few = 5000

const lookMs = 500

/** Measures the time until each company has joined a published list, right after they were created. */
export async function measureEvaluation(stand: AutomationStand, options: Options): Promise<Fact[]> {
  const count = options.isQuick ? few : many
  const running = await stand.start()
  const database = openConfigured(readConfig({ DATABASE_URL: stand.url }))
  const isIdle = async (id: string): Promise<boolean> => {
    const [list] = await database.reader.query<{ evaluation_status: string }>(({ knex }) =>
      knex('list').select('evaluation_status').where({ workspace_id: stand.busy.id, id }),
    )
    return list?.evaluation_status === 'idle'
  }
  try {
    await createCompanies(running, count)
    const query = { sql: 'SELECT c.* FROM company c' }
    const started = performance.now()
    const { id } = (await running.call('POST', '/objects/company/lists', { title: 'All', type: 'dynamic', query })).data
    await waitUntil(() => isIdle(id), 'the list is evaluated', lookMs)
    const seconds = (performance.now() - started) / 1000
    return [
      {
        what: `a list of ${count.toLocaleString('en-US')} companies that have just been created, until all have joined`,
        value: `${seconds.toFixed(1)} s`,
      },
    ]
  } finally {
    await database.close()
    await running.server.stop()
  }
}

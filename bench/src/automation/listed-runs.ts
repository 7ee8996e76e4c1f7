import { openConfigured, readConfig } from '@kontor/server/admin'
import type { Options } from '../options.ts'
import type { Load } from '../processes.ts'
import { measureRates, type Pair, type Rates } from '../rates.ts'
import { newId, type Row } from '../rows.ts'
import { settle, type Table } from '../seed.ts'
import { waitUntil } from '../wait.ts'
import { addWorkflow, countingRuns, newWorkflow } from './runs.ts'
import { createCompanies, type AutomationStand, type Running } from './stand.ts'

const few = 1000
const many = 1_000_000
const perTransaction = 2000
/** The runs came a few milliseconds apart, all of them within the days for which they are kept. */
const apartMs = 50
/** Runs of each workflow that have failed. */
const failed = 100

const table: Table = 'workflow_run'

/** A workflow with so many runs: copies of a real one, under ids of their own. */
async function workflowWithRuns(stand: AutomationStand, running: Running, count: number): Promise<string> {
  const { id, disable } = await addWorkflow(running, newWorkflow(`With ${count} runs`, []))
  const counting = countingRuns(stand)
  await createCompanies(running, 1)
  await waitUntil(async () => (await counting.count(id, 'success')) === 1, 'a run has ended')
  await counting.close()
  await disable()
  const database = openConfigured(readConfig({ DATABASE_URL: stand.url }))
  const workspace_id = stand.busy.id
  try {
    const [run] = await database.reader.query<Row>(({ knex }) => knex(table).where({ workspace_id, workflow_id: id }))
    if (run === undefined) throw new Error('There is no run')
    const first = Date.now() - count * apartMs
    for (let start = 1; start < count; start += perTransaction) {
      const rows = Array.from({ length: Math.min(perTransaction, count - start) }, (_, index) => {
        const number = start + index
        const at = first + number * apartMs
        const run_status = number % (count / failed) === 0 ? 'failed' : run['run_status']
        const times = { started_at: at, ended_at: at, created_at: at, updated_at: at }
        return { ...run, ...times, id: newId(at), event_id: null, run_status }
      })
      await database.write((tx) => tx.insert(table, rows))
    }
    const counter = { workspace_id, object: `runs/${id}`, total: count }
    await database.write((tx) =>
      tx.change(({ knex }) => knex('record_count').insert(counter).onConflict(['workspace_id', 'object']).merge()),
    )
    return id
  } finally {
    await database.close()
  }
}

/** Pages of the runs of a workflow with a million of them, beside those of one with a thousand. */
export async function measureListedRuns(
  stand: AutomationStand,
  load: Load,
  options: Options,
  say: (text: string) => void,
): Promise<Rates[]> {
  const running = await stand.start()
  const count = options.isQuick ? 20_000 : many
  try {
    const small = await workflowWithRuns(stand, running, few)
    const large = await workflowWithRuns(stand, running, count)
    await settle(stand.url)
    const rates: Rates[] = []
    for (const pair of pairsOf(stand, running, { small, large, count }))
      rates.push(await measureRates(load, pair, options, say))
    return rates
  } finally {
    await running.server.stop()
  }
}

const ofStatus = (status: 'failed' | 'success'): string => `&filter%5Bstatus%5D=${status}`

function pairsOf(
  { busy: { slug, headers } }: AutomationStand,
  { server }: Running,
  { small, large, count }: { readonly small: string; readonly large: string; readonly count: number },
): Pair[] {
  const of = { port: server.port, headers, server }
  const ask = (workflow: string, query = '') => ({
    of,
    request: {
      method: 'GET' as const,
      paths: [`/v1/workspaces/${slug}/workflows/${workflow}/runs?page%5Blimit%5D=50${query}`],
    },
  })
  const total = count.toLocaleString('en-US')
  const beside = `those of ${few.toLocaleString('en-US')}`
  return [
    { what: `first page of ${total} runs`, atLeast: 0.67, beside, other: ask(small), ours: ask(large) },
    {
      what: `first page of those that failed, of ${total} runs`,
      atLeast: 0.67,
      beside,
      other: ask(small, ofStatus('failed')),
      ours: ask(large, ofStatus('failed')),
    },
    {
      what: `page in the middle of ${total} runs`,
      beside,
      connections: 4,
      other: ask(small, `&page%5Boffset%5D=${few / 2}`),
      ours: ask(large, `&page%5Boffset%5D=${count / 2}`),
    },
    {
      what: `first page of those that succeeded, of ${total} runs`,
      beside,
      connections: 4,
      other: ask(small, ofStatus('success')),
      ours: ask(large, ofStatus('success')),
    },
  ]
}

import { openConfigured, readConfig } from '@kontor/server/admin'
import { waitUntil } from '../wait.ts'
import { createCompanies, type AutomationStand, type Running } from './stand.ts'

type Block = { readonly key: string; readonly plugin_id: string; readonly input: object }

/** A workflow that runs for each new record of an object: its blocks one after another. */
export const newWorkflow = (
  name: string,
  blocks: readonly Block[],
  filters: readonly object[] = [],
  object = 'company',
): object => ({
  name,
  enabled: true,
  trigger: {
    plugin_id: 'on:svc:create:record',
    input: { object },
    filters,
    next: blocks[0]?.key ?? null,
  },
  blocks: Object.fromEntries(
    blocks.map(({ key, plugin_id, input }, index) => [
      key,
      { plugin_id, input, prev: blocks[index - 1]?.key ?? 'trigger', next: blocks[index + 1]?.key ?? null },
    ]),
  ),
})

const isNamed = { field: 'state.event.object.data.name', op: 'Contains', value: 'nothing like it' }

/** A step without input or output beyond the process. */
const branch = (number: number): Block => ({
  key: `branch_${number}`,
  plugin_id: 'general:branch',
  input: { branches: [{ key: 'never', filter: isNamed, next: null }] },
})

/** A workflow of the busy workspace, and how to be rid of it. */
export async function addWorkflow(
  { call }: Running,
  body: object,
): Promise<{ readonly id: string; readonly disable: () => Promise<unknown> }> {
  const { id } = (await call('POST', '/workflows', body)).data
  return { id, disable: () => call('PATCH', `/workflows/${id}`, { enabled: false }) }
}

export const threeSteps = (): object => newWorkflow('Three steps', [branch(1), branch(2), branch(3)])

/** Counts the runs of a workflow in a state, from the database itself, and waits for their ends. */
export function countingRuns({ url, busy }: AutomationStand) {
  const database = openConfigured(readConfig({ DATABASE_URL: url }))
  const count = async (workflowId: string, status: string): Promise<number> => {
    const [row] = await database.reader.query<{ count: number | string }>(({ knex }) =>
      knex('workflow_run')
        .where({ workspace_id: busy.id, workflow_id: workflowId, run_status: status })
        .count({ count: '*' }),
    )
    return Number(row?.count)
  }
  const endings = async (workflowId: string): Promise<number[]> => {
    const rows = await database.reader.query<{ ended_at: number | string }>(({ knex }) =>
      knex('workflow_run')
        .where({ workspace_id: busy.id, workflow_id: workflowId, run_status: 'success' })
        .select('ended_at'),
    )
    return rows.map(({ ended_at }) => Number(ended_at))
  }
  return { count, endings, close: () => database.close() }
}

/** Runs of three steps a second, from the first event to the last run that has ended. */
export async function measureRuns(stand: AutomationStand, running: Running, count: number): Promise<number> {
  const { id, disable } = await addWorkflow(running, threeSteps())
  const runs = countingRuns(stand)
  try {
    const started = performance.now()
    await createCompanies(running, count)
    await waitUntil(async () => (await runs.count(id, 'success')) >= count, 'the runs have ended', 50)
    return (count * 1000) / (performance.now() - started)
  } finally {
    await runs.close()
    await disable()
  }
}

/** Milliseconds of single runs, one after another, from before the request that is their event to their stored end. */
export async function measureSingle(stand: AutomationStand, running: Running, count: number): Promise<number[]> {
  const { id, disable } = await addWorkflow(running, threeSteps())
  const runs = countingRuns(stand)
  try {
    const all: number[] = []
    for (let number = 1; number <= count; number++) {
      const began = Date.now()
      await createCompanies(running, 1)
      await waitUntil(async () => (await runs.count(id, 'success')) >= number, 'the run has ended', 5)
      all.push(Math.max(...(await runs.endings(id))) - began)
    }
    return all
  } finally {
    await runs.close()
    await disable()
  }
}

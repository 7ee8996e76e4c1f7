import { openConfigured, readConfig } from '@kontor/server/admin'
import { waitUntil } from '../wait.ts'
import { addWorkflow, countingRuns, threeSteps } from './runs.ts'
import { createCompanies, type AutomationStand } from './stand.ts'

export type Restart = {
  /** Runs that had not ended when the server was killed, of all. */
  readonly left: number
  readonly runs: number
  /** Steps of those that were stored by then. */
  readonly stored: number
  /** Of these, what ran again. */
  readonly again: number
  /** From the start of the new process until the last run had ended. */
  readonly seconds: number
}

/** Kills a server (-9) while it has runs of three steps at work, and starts another. */
export async function measureRestart(stand: AutomationStand, runs: number): Promise<Restart> {
  const first = await stand.start()
  const { id } = await addWorkflow(first, threeSteps())
  const counting = countingRuns(stand)
  const ended = () => counting.count(id, 'success')
  try {
    const creating = createCompanies(first, runs)
    await waitUntil(async () => (await ended()) > 0, 'the first runs have ended', 1)
    await creating
    process.kill(first.server.pid, 'SIGKILL')
    await first.server.stop()
    const left = runs - (await ended())
    const before = await storedSteps(stand, id)
    const started = performance.now()
    const second = await stand.start()
    await waitUntil(async () => (await ended()) >= runs, 'all runs have ended')
    const seconds = (performance.now() - started) / 1000
    const after = await storedSteps(stand, id)
    await second.call('PATCH', `/workflows/${id}`, { enabled: false })
    await second.server.stop()
    const again = [...before].filter(([step, as]) => after.get(step) !== as).length
    return { left, runs, stored: before.size, again, seconds }
  } finally {
    await counting.close()
  }
}

/** Each step that is stored as ended, and as what: a step that runs again has another beginning. */
async function storedSteps({ url, busy }: AutomationStand, workflowId: string): Promise<Map<string, string>> {
  const database = openConfigured(readConfig({ DATABASE_URL: url }))
  try {
    const rows = await database.reader.query<Record<'run_id' | 'number' | 'attempts' | 'started_at', unknown>>(
      ({ knex }) =>
        knex('workflow_step as step')
          .join('workflow_run as run', (on) =>
            on.on('run.workspace_id', 'step.workspace_id').on('run.id', 'step.run_id'),
          )
          .where({ 'step.workspace_id': busy.id, 'run.workflow_id': workflowId })
          .whereNotNull('step.ended_at')
          .select('step.run_id', 'step.number', 'step.attempts', 'step.started_at'),
    )
    return new Map(
      rows.map(({ run_id, number, attempts, started_at }) => [
        `${String(run_id)} ${String(number)}`,
        `${String(attempts)} ${String(started_at)}`,
      ]),
    )
  } finally {
    await database.close()
  }
}

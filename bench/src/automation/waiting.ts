import { setTimeout as sleep } from 'node:timers/promises'
import { measureJobs, type JobRates } from './jobs.ts'
import { addWorkflow, countingRuns, newWorkflow } from './runs.ts'
import { createCompanies, type AutomationStand } from './stand.ts'
import { waitUntil } from '../wait.ts'

/** Long enough for a server to settle after its start. */
const settleMs = 3000

type Bytes = number | undefined

/** The cost of runs that wait. */
export type Waiting = {
  readonly filledPerSecond: number
  readonly startMs: number
  readonly bytes: { readonly before: Bytes; readonly waiting: Bytes }
  readonly jobs: { readonly before: JobRates; readonly waiting: JobRates }
}

/** A server as it is some seconds after its start. */
async function startedAnew(stand: AutomationStand): Promise<{ readonly startMs: number; readonly bytes: Bytes }> {
  const { server } = await stand.start()
  await sleep(settleMs)
  const bytes = server.residentBytes()
  await server.stop()
  return { startMs: server.startedMs, bytes }
}

/** Lets so many runs wait for days; before and after, nothing else is at work. */
export async function measureWaiting(
  stand: AutomationStand,
  count: number,
  jobs: { readonly count: number; readonly rounds: number },
): Promise<Waiting> {
  const measured = () => measureJobs(stand.url, jobs.count, jobs.rounds)
  const [idle, before] = [await startedAnew(stand), await measured()]
  const filledPerSecond = await fill(stand, count)
  const { startMs, bytes } = await startedAnew(stand)
  return {
    filledPerSecond,
    startMs,
    bytes: { before: idle.bytes, waiting: bytes },
    jobs: { before, waiting: await measured() },
  }
}

async function fill(stand: AutomationStand, count: number): Promise<number> {
  const running = await stand.start()
  const runs = countingRuns(stand)
  try {
    const { id } = await addWorkflow(
      running,
      newWorkflow('Wait', [{ key: 'wait', plugin_id: 'general:delay:for', input: { amount: 30, unit: 'days' } }]),
    )
    const started = performance.now()
    await createCompanies(running, count)
    await waitUntil(async () => (await runs.count(id, 'waiting')) >= count, 'the runs wait', 200)
    return (count * 1000) / (performance.now() - started)
  } finally {
    await runs.close()
    await running.server.stop()
  }
}

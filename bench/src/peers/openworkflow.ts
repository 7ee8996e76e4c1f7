import { OpenWorkflow } from 'openworkflow'
import { BackendPostgres } from 'openworkflow/postgres'
import { BackendSqlite } from 'openworkflow/sqlite'
import { waitUntil } from '../wait.ts'
import { startMany, steps, type Peer } from './peer.ts'

/** Runs that a worker has at a time. */
const concurrency = 50

const sqliteScheme = 'sqlite:'

/** OpenWorkflow upon an empty database, with one worker. */
export async function openOpenWorkflow(url: string): Promise<Peer> {
  const backend = url.startsWith(sqliteScheme)
    ? BackendSqlite.connect(url.slice(sqliteScheme.length))
    : await BackendPostgres.connect(url)
  const client = new OpenWorkflow({ backend })
  const threeSteps = client.defineWorkflow({ name: 'three-steps' }, async ({ step }) => {
    for (const name of steps) await step.run({ name }, async () => ({ name }))
  })
  const worker = client.newWorker({ concurrency })
  await worker.start()
  let all = 0
  const start = async () => {
    all++
    return threeSteps.run()
  }
  return {
    async runAll(count) {
      await startMany(count, start)
      await waitUntil(async () => (await backend.countWorkflowRuns()).completed >= all, 'the runs have ended')
    },
    async runOne() {
      const { workflowRun } = await start()
      const stored = async () => backend.getWorkflowRun({ workflowRunId: workflowRun.id })
      await waitUntil(async () => (await stored())?.status === 'completed', 'the run has ended', 5)
      const ended = await stored()
      return (ended?.finishedAt?.getTime() ?? Number.NaN) - workflowRun.createdAt.getTime()
    },
    async close() {
      await worker.stop()
      await backend.stop()
    },
  }
}

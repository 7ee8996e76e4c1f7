import { DBOS } from '@dbos-inc/dbos-sdk'
import { startMany, steps, type Peer } from './peer.ts'

const threeSteps = DBOS.registerWorkflow(
  async () => {
    for (const name of steps) await DBOS.runStep(async () => ({ name }), { name })
  },
  { name: 'three-steps' },
)

/** Its result is there when the end of the run is stored. */
async function run(): Promise<void> {
  const handle = await DBOS.startWorkflow(threeSteps)()
  await handle.getResult()
}

/** DBOS upon an empty database, with the settings that it has of itself; runs begin at once, without a queue. */
export async function openDbos(systemDatabaseUrl: string): Promise<Peer> {
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl, logLevel: 'error' })
  await DBOS.launch()
  return {
    runAll: (count) => startMany(count, run),
    async runOne() {
      const started = performance.now()
      await run()
      return performance.now() - started
    },
    close: () => DBOS.shutdown(),
  }
}

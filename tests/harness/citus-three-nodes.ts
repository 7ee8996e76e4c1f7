/** Vitest's global setup of the `postgres-citus-nodes` project: a coordinator, and two nodes that hold the shards. */
import type { TestProject } from 'vitest/node'
import { citusSettings, distributeOver, hasCitus } from './citus.ts'
import { startCluster, teardown } from './postgres-cluster.ts'
import { makeTemplate } from './postgres.ts'

export { teardown }

const template = 'kontor_template'

/** A change that writes to several nodes is prepared on each first. */
const settings = [...citusSettings, 'max_prepared_transactions=400']

export async function setup(project: TestProject): Promise<void> {
  if (!hasCitus()) return
  const url = await startCluster(['--log', ...settings])
  const workerUrls = [await startCluster(settings), await startCluster(settings)]
  project.provide('postgresUrl', url)
  project.provide('workerUrls', workerUrls)
  const [first, second] = workerUrls as [string, string]
  // Each is filled by the coordinator, and takes no connections from then on.
  await makeTemplate(first, template, () =>
    makeTemplate(second, template, () => makeTemplate(url, template, (own) => distributeOver(own, workerUrls))),
  )
}

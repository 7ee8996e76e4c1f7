/** Vitest's global setup of the `postgres-citus` project: a cluster of one node that holds its own shards. */
import type { TestProject } from 'vitest/node'
import { citusSettings, distributeAt, hasCitus } from './citus.ts'
import { startCluster, teardown } from './postgres-cluster.ts'
import { makeTemplate } from './postgres.ts'

export { teardown }

export async function setup(project: TestProject): Promise<void> {
  if (!hasCitus()) return
  const url = await startCluster(['--log', ...citusSettings])
  project.provide('postgresUrl', url)
  await makeTemplate(url, 'kontor_template', distributeAt)
}

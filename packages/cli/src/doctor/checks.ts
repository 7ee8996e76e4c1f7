import type { Config } from '@kontor/server/config'
import { explain } from '../errors.ts'
import { checkApi } from './api.ts'
import { checkDatabase } from './database.ts'
import { fail, ok, type ApiOptions, type Check, type Finding } from './finding.ts'
import { checkJobs } from './jobs.ts'
import { checkDataDir, checkNode } from './machine.ts'

/** All checks, each by itself: one that fails keeps no other from being told. */
export async function runChecks(options: ApiOptions): Promise<Check[]> {
  const node = await named('Node', async () => checkNode())
  const { readConfig } = await import('@kontor/server/config')
  let config: Config
  try {
    config = readConfig()
  } catch (error) {
    return [node, { name: 'Settings', ...fail(explain(error)) }]
  }
  const settings = await named('Settings', async () => ok('the environment is readable'))
  const [folder, database, api] = await Promise.all([
    named('Data folder', () => checkDataDir(config)),
    named('Database', () => checkDatabase(config)),
    named('API', () => checkApi(config, options)),
  ])
  // Only a database with the tables of this version can be asked.
  const jobs = database.status === 'ok' ? [await named('Jobs', () => checkJobs(config))] : []
  return [node, settings, folder, database, ...jobs, api]
}

async function named(name: string, check: () => Promise<Finding>): Promise<Check> {
  return { name, ...(await check().catch((error: unknown) => fail(explain(error)))) }
}

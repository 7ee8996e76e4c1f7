import type { Config } from '@kontor/server/config'
import { explain } from '../errors.ts'
import { checkApi } from './api.ts'
import { checkDatabase } from './database.ts'
import { checkIndexes } from './indexes.ts'
import { fail, ok, type ApiOptions, type Check, type Finding } from './finding.ts'
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
  const rest = [named('Data folder', () => checkDataDir(config)), named('Database', () => checkDatabase(config)), named('Indexes', () => checkIndexes(config)), named('API', () => checkApi(config, options))]
  return [node, settings, ...(await Promise.all(rest))]
}

async function named(name: string, check: () => Promise<Finding>): Promise<Check> {
  return { name, ...(await check().catch((error: unknown) => fail(explain(error)))) }
}

import type { Config } from '@kontor/server/config'
import { explain } from '../errors.ts'
import { checkApi } from './api.ts'
import { backgroundChecks } from './background.ts'
import { changesCheck, checkDatabase } from './database.ts'
import { checkIndexes } from './indexes.ts'
import { fail, ok, warn, type ApiOptions, type Check, type DeepOptions, type Finding } from './finding.ts'
import { replicasCheck } from './replicas.ts'
import { verifyStored } from './stored.ts'
import { checkDataDir, checkNode } from './machine.ts'

/** All checks, each by itself: one that fails keeps no other from being told. */
export async function runChecks(options: ApiOptions, deep?: DeepOptions): Promise<Check[]> {
  const node = await named('Node', async () => checkNode())
  const { explainMisspelled, readConfig } = await import('@kontor/server/config')
  let config: Config
  try {
    config = readConfig()
  } catch (error) {
    return [node, { name: 'Settings', ...fail(explain(error)) }]
  }
  const settings = await named('Settings', async () =>
    config.misspelled.length === 0
      ? ok('the environment is readable')
      : warn(config.misspelled.map(explainMisspelled).join(' ')),
  )
  const [folder, database, api] = await Promise.all([
    named('Data folder', () => checkDataDir(config)),
    named('Database', () => checkDatabase(config)),
    named('API', () => checkApi(config, options)),
  ])
  // Only a database with the tables of this version can be asked.
  const inside: Readonly<Record<string, () => Promise<Finding>>> =
    database.status === 'ok'
      ? {
          ...(await changesCheck(config)),
          ...replicasCheck(config),
          Indexes: () => checkIndexes(config),
          ...backgroundChecks(config),
        }
      : {}
  const found = await Promise.all(Object.entries(inside).map(([name, check]) => named(name, check)))
  const stored =
    deep === undefined || database.status !== 'ok' ? [] : await verifyStored(config, { ...deep, ...options })
  return [node, settings, folder, database, ...found, ...stored, api]
}

async function named(name: string, check: () => Promise<Finding>): Promise<Check> {
  return { name, ...(await check().catch((error: unknown) => fail(explain(error)))) }
}

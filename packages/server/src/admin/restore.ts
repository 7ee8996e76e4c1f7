import { workspaceSlug } from '@kontor/contract'
import type { Config } from '../config.ts'
import { migrateUnserved } from '../db/migrate.ts'
import type { Database } from '../db/tx.ts'
import { systemClock, type Clock } from '../kernel/clock.ts'
import { newSecret } from '../kernel/ids.ts'
import { folderKey } from '../lib/key-file.ts'
import { KeyRing } from '../lib/key-ring.ts'
import { BundleFault, type RestoredWorkspace } from '../modules/bundles/index.ts'
import { FileLinks, openStorage, type FileSettings } from '../modules/files/index.ts'
import { restoreWorkspace } from '../modules/index.ts'
import { openConfigured } from './configured.ts'
import { AdminError, checked } from './error.ts'

/** Statements of a restore may take long: it removes whole tables of an unfinished one. */
const statementTimeoutMs = 600_000

export type RestoreOptions = {
  readonly slug?: string | undefined
  readonly newIds?: boolean | undefined
  /** Called with the name of each step. */
  readonly onStep?: ((step: string) => void) | undefined
}

type Place = {
  readonly database: Database
  readonly clock: Clock
  readonly files: FileSettings
  readonly encryptionKeys: readonly string[]
}

/** Restores the bundle at a path into a database, as a new workspace. */
export async function restoreInto(
  { database, clock, files, encryptionKeys }: Place,
  path: string,
  { slug, newIds = false, onStep = () => undefined }: RestoreOptions = {},
): Promise<RestoredWorkspace> {
  const keys = new KeyRing(encryptionKeys)
  const storage = openStorage(files, new FileLinks({ keys, clock, baseUrl: '' }))
  const request = {
    hasNewIds: newIds,
    slug: slug === undefined ? undefined : checked(workspaceSlug, slug, 'The slug'),
  }
  try {
    return await restoreWorkspace({ database, storage, clock, keys, onStep }, path, request)
  } catch (error) {
    throw error instanceof BundleFault ? new AdminError(error.message) : error
  }
}

/** Restores a bundle into the configured database, migrated to this version. */
export async function restoreConfigured(
  config: Config,
  path: string,
  options: RestoreOptions,
): Promise<RestoredWorkspace> {
  const database = openConfigured({ ...config, statementTimeoutMs })
  try {
    await migrateUnserved(database)
    const { dataDir, files } = config
    const encryptionKeys =
      config.encryptionKeys.length > 0 ? config.encryptionKeys : [await folderKey(dataDir, () => newSecret(32))]
    return await restoreInto({ database, clock: systemClock, files, encryptionKeys }, path, options)
  } finally {
    await database.close()
  }
}

import { existsSync, statSync } from 'node:fs'
import type { MigrationStatus } from '@kontor/server/admin'
import type { Config } from '@kontor/server/config'
import { sqliteFile } from '../administration.ts'
import { count, say } from '../output.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

/** A file of this size or more takes seconds to read, and a large one minutes. */
const gibibyte = 1024 ** 3

/** Checks that the database responds and has the tables of this version. */
export async function checkDatabase(config: Config): Promise<Finding> {
  const file = sqliteFile(config)
  // Opening it would make it.
  if (file !== undefined && !existsSync(file)) return warn(`${file} does not exist yet; the first start creates it`)
  const { readDamage, readMigrationStatus, readUnreachableNodes, requireConnections } =
    await import('@kontor/server/admin')
  await requireConnections(config)
  const bytes = file === undefined ? 0 : statSync(file).size
  if (bytes >= gibibyte) say(`Reading ${file} (${(bytes / gibibyte).toFixed(1)} GiB) for damage …`)
  const damage = await readDamage(config)
  if (damage !== undefined)
    return fail(`${file} is damaged: ${damage}. Stop the server and restore a backup: "Restore a backup" in the guide.`)
  const { current, latest, pending, isNewerAndFits, distribution } = await readMigrationStatus(config)
  const where = file ?? withoutPassword(config.databaseUrl)
  if (current > latest && !isNewerAndFits)
    return fail(`${where} is at migration ${current}, newer than the ${latest} that this version knows`)
  const away = distribution === undefined ? [] : ((await readUnreachableNodes(config)) ?? [])
  if (away.length > 0)
    return fail(
      `${where}: no answer from ${away.join(', ')}. Workspaces there get 503 until it answers; others are served`,
    )
  const known = isNewerAndFits ? ` (this version knows ${latest})` : ''
  return pending.length === 0
    ? ok(`${where}, at migration ${current}${known}${spread(distribution)}`)
    : warn(
        `${where} responds; ${count(pending.length, 'migration is', 'migrations are')} pending: the next ` +
          'start applies them',
      )
}

/** Warns where a file can only be read; there is nothing to check elsewhere. */
export async function changesCheck(config: Config): Promise<Readonly<Record<string, () => Promise<Finding>>>> {
  const file = sqliteFile(config)
  const { findUnwritable } = await import('@kontor/server/admin')
  const unwritable = file === undefined ? undefined : findUnwritable(file)
  if (unwritable === undefined) return {}
  return { Changes: async () => warn(`${unwritable} cannot be written: a server only reads, and runs no jobs`) }
}

function spread(distribution: MigrationStatus['distribution']): string {
  if (distribution === undefined) return ''
  const nodes = distribution.nodes.filter(({ shards }) => shards > 0)
  return `, in ${count(distribution.shards, 'shard')} on ${count(nodes.length, 'node')}`
}

function withoutPassword(text: string): string {
  const url = URL.parse(text)
  if (url === null) return 'DATABASE_URL'
  url.password = ''
  url.search = ''
  return url.href
}

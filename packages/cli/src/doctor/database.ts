import { existsSync } from 'node:fs'
import type { Config } from '@kontor/server/config'
import { sqliteFile } from '../administration.ts'
import { count } from '../output.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

/** Returns whether the database answers and has the tables of this version. */
export async function checkDatabase(config: Config): Promise<Finding> {
  const file = sqliteFile(config)
  // Opening it would make it.
  if (file !== undefined && !existsSync(file)) return warn(`${file} is not made yet; the first start makes it`)
  const { readDamage, readMigrationStatus } = await import('@kontor/server/admin')
  const damage = await readDamage(config)
  if (damage !== undefined)
    return fail(`${file} is damaged: ${damage}. Stop the server and restore a backup: "Restore a backup" in the guide.`)
  const { current, latest, pending } = await readMigrationStatus(config)
  const where = file ?? withoutPassword(config.databaseUrl)
  if (current > latest)
    return fail(`${where} is at migration ${current}, newer than the ${latest} that this version knows`)
  return pending.length === 0
    ? ok(`${where}, at migration ${current}`)
    : warn(
        `${where} answers; ${count(pending.length, 'migration is', 'migrations are')} pending: the next ` +
          'start applies them',
      )
}

function withoutPassword(text: string): string {
  const url = URL.parse(text)
  if (url === null) return 'DATABASE_URL'
  url.password = ''
  url.search = ''
  return url.href
}

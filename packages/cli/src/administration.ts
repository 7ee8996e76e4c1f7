import { existsSync } from 'node:fs'
import type { Admin, Config } from '@kontor/server/admin'
import { say } from './output.ts'

/** Opens the database of the settings for the time of one piece of work. */
export async function administer<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
  // Loaded here, not at the top: --help and the commands over HTTP need no database driver.
  const { openAdmin, readConfig } = await import('@kontor/server/admin')
  const config = readConfig()
  const file = sqliteFile(config)
  const isNew = file !== undefined && !existsSync(file)
  const { admin, close } = await openAdmin(config)
  if (isNew) say(`Created a new database: ${file}`)
  try {
    return await work(admin)
  } finally {
    await close()
  }
}

/** The file of an embedded database. */
export const sqliteFile = ({ databaseUrl }: Config): string | undefined =>
  databaseUrl.startsWith('sqlite:') ? databaseUrl.slice('sqlite:'.length) : undefined

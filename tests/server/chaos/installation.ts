import { join } from 'node:path'
import { inject } from 'vitest'
import { startApp } from '../../harness/app.ts'
import { ownPostgres } from '../../harness/own-postgres.ts'
import { hasSmallDisks, smallDisk } from '../../harness/small-disk.ts'
import { emptyDatabase } from '../../harness/database.ts'
import { scratchFolder } from '../../harness/scratch.ts'
import { databaseProxy, type DatabaseProxy } from './database-proxy.ts'
import { Node } from './node.ts'

const key = 'a key of at least thirty-two characters'

/** A disk on which a few megabytes of each fault fit. */
const diskMib = { least: 256, perFault: 2 }

type OwnPostgres = Awaited<ReturnType<typeof ownPostgres>>

/** The database, and what faults can do to it. */
export type Place = {
  readonly url: string
  readonly disk: ReturnType<typeof smallDisk> | undefined
  readonly postgres: OwnPostgres | undefined
  readonly network: DatabaseProxy | undefined
}

async function startDatabase(faults: number): Promise<Place> {
  const disk = hasSmallDisks ? smallDisk(diskMib.least + faults * diskMib.perFault) : undefined
  if (inject('database') === 'sqlite') {
    const url = disk === undefined ? (await emptyDatabase()).url : `sqlite:${join(disk.folder, 'kontor.db')}`
    return { url, disk, postgres: undefined, network: undefined }
  }
  const postgres = await ownPostgres()
  const url = disk === undefined ? postgres.url : await postgres.databaseIn(disk.folder)
  return { url, disk, postgres, network: await databaseProxy(url) }
}

/** Two servers and a worker on a Postgres behind a proxy; on SQLite one server. */
export async function startInstallation(smtpUrl: string, faults: number) {
  const place = await startDatabase(faults)
  const app = await startApp({ databaseUrl: place.url, encryptionKeys: [key] })
  const settings = {
    ENCRYPTION_KEYS: key,
    FILES_DIR: await scratchFolder(),
    SMTP_URL: smtpUrl,
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
    WORKFLOW_EMAILS_PER_DAY: '1000000',
    POOL_PROCESSES: '2',
  }
  const databaseUrl = place.network?.url ?? place.url
  const node = (name: string, kind: 'server' | 'worker'): Node => new Node(name, kind, databaseUrl, settings)
  const nodes =
    inject('database') === 'sqlite'
      ? [node('the server', 'server')]
      : [node('server 1', 'server'), node('server 2', 'server'), node('the worker', 'worker')]
  for (const one of nodes) await one.start()
  return {
    ...place,
    app,
    nodes,
    settings: { ...settings, DATABASE_URL: databaseUrl },
    origins: (): string[] =>
      nodes.flatMap(({ isServer, origin }) => (isServer && origin !== undefined ? [origin] : [])),
  }
}

export type Installation = Awaited<ReturnType<typeof startInstallation>>

import { setTimeout as sleep } from 'node:timers/promises'
import { openAdmin, readConfig } from '@kontor/server/admin'
import { openDatabases } from './databases.ts'
import { startKontor, stopServers } from './processes.ts'

/** A server on an empty database of its own, with a workspace, and a caller with the key of an admin. */
export type Installation = {
  readonly server: Awaited<ReturnType<typeof startKontor>>
  readonly databaseUrl: string
  /** Calls the API at a path of the workspace, and returns the body. */
  readonly call: <T>(method: string, path: string, body?: object) => Promise<T>
  readonly headers: Readonly<Record<string, string>>
}

export const mib = 1024 * 1024

const workspace = 'acme'

/** The database that the command line names, after a number; SQLite without one. */
const databaseName = process.argv[3] === 'postgres' ? 'postgres' : 'sqlite'

/** Does some work with an installation, which is removed afterwards. `PROFILE_TO` names a folder for a CPU profile. */
export async function inInstallation(work: (installation: Installation) => Promise<void>): Promise<void> {
  const databases = await openDatabases(databaseName, undefined)
  try {
    const databaseUrl = await databases.create('bench')
    const headers = {
      Authorization: `api-key ${await makeKey(databaseUrl, databases.folder)}`,
      'Content-Type': 'application/json',
      'X-Svc-Workspace': workspace,
    }
    const server = await startKontor(databaseUrl, databases.folder, { profileTo: process.env['PROFILE_TO'] })
    const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
      const response = await fetch(`${server.baseUrl}/workspaces/${workspace}/${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`)
      return (await response.json()) as T
    }
    await work({ server, databaseUrl, call, headers })
  } finally {
    await stopServers()
    await databases.close()
  }
}

async function makeKey(url: string, folder: string): Promise<string> {
  const { admin, close } = await openAdmin(readConfig({ DATABASE_URL: url, DATA_DIR: folder }))
  const email = 'admin@example.com'
  await admin.createWorkspace({ slug: workspace, name: 'Acme', adminEmail: email })
  const { data } = await admin.createKey({ workspace, email, kind: 'personal', scopes: [], name: 'Bench' })
  await close()
  return data.attributes.cleartext_api_key
}

/** The duration of some work, the most memory that the server had meanwhile, and the wait of another client. */
export type Measured = { readonly seconds: number; readonly mostMib: number; readonly waits: readonly number[] }

/** Does some work, while another client reads again and again. */
export async function measured({ server, call }: Installation, work: () => Promise<unknown>): Promise<Measured> {
  let mostMib = 0
  const waits: number[] = []
  const done = new AbortController()
  const look = async (): Promise<void> => {
    while (!done.signal.aborted) {
      const began = performance.now()
      await call('GET', 'objects/company/resources?page[limit]=1')
      waits.push(performance.now() - began)
      mostMib = Math.max(mostMib, (server.residentBytes() ?? 0) / mib)
      await sleep(20)
    }
  }
  const looking = look()
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1000
  done.abort()
  await looking
  return { seconds, mostMib, waits: waits.toSorted((one, other) => one - other) }
}

/** The wait that a share of the requests did not exceed, in milliseconds. */
export const waitAt = ({ waits }: Measured, share: number): number =>
  Math.round(waits[Math.floor(waits.length * share)] ?? 0)

import { setTimeout as sleep } from 'node:timers/promises'
import { openAdmin, readConfig } from '@kontor/server/admin'
import { openDatabases } from './databases.ts'
import type { DatabaseName } from './options.ts'
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
const named = process.argv[3] === 'postgres' ? 'postgres' : 'sqlite'

/** Does some work with an installation, which is removed afterwards. `PROFILE_TO` names a folder for a CPU profile. */
export const inInstallation = (work: (installation: Installation) => Promise<void>): Promise<void> =>
  inDatabase(async (databaseUrl, folder) => {
    await makeWorkspace(databaseUrl, folder)
    const headers = await headersOf(databaseUrl, folder, workspace)
    const server = await startKontor(databaseUrl, folder, { profileTo: process.env['PROFILE_TO'] })
    await work({ server, databaseUrl, call: callerOf(server, workspace, headers), headers })
  })

/** Does some work with an empty database and a folder; both, and the servers that were started, are gone afterwards. */
export async function inDatabase(
  work: (databaseUrl: string, folder: string) => Promise<void>,
  databaseName: DatabaseName = named,
): Promise<void> {
  const databases = await openDatabases(databaseName, undefined)
  try {
    await work(await databases.create('bench'), databases.folder)
  } finally {
    await stopServers()
    await databases.close()
  }
}

/** Calls a server in a workspace. */
export const callerOf =
  ({ baseUrl }: Installation['server'], slug: string, headers: Installation['headers']): Installation['call'] =>
  async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${baseUrl}/workspaces/${slug}/${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as T
  }

const email = 'admin@example.com'

/** Makes the workspace, with its admin. */
export const makeWorkspace = (url: string, folder: string) =>
  inAdmin(url, folder, (admin) => admin.createWorkspace({ slug: workspace, name: 'Acme', adminEmail: email }))

/** The headers of the admin in a workspace, with a key of their own. */
export async function headersOf(url: string, folder: string, slug: string): Promise<Installation['headers']> {
  const { data } = await inAdmin(url, folder, (admin) =>
    admin.createKey({ workspace: slug, email, kind: 'personal', scopes: [], name: 'Bench' }),
  )
  return {
    Authorization: `api-key ${data.attributes.cleartext_api_key}`,
    'Content-Type': 'application/json',
    'X-Svc-Workspace': slug,
  }
}

type Admin = Awaited<ReturnType<typeof openAdmin>>['admin']

async function inAdmin<T>(url: string, folder: string, work: (admin: Admin) => Promise<T>): Promise<T> {
  const { admin, close } = await openAdmin(readConfig({ DATABASE_URL: url, DATA_DIR: folder }))
  const result = await work(admin)
  await close()
  return result
}

/** The duration of some work, the most memory that the server had meanwhile, and the wait of another client. */
export type Measured = { readonly seconds: number; readonly mostMib: number; readonly waits: readonly number[] }

const readPage = (call: Installation['call']): Promise<unknown> =>
  call('GET', 'objects/company/resources?page[limit]=1')

/** Does some work, while another client sends one request again and again, by default for a page. */
export async function measured(
  { server, call }: Installation,
  work: () => Promise<unknown>,
  send = readPage,
): Promise<Measured> {
  let mostMib = 0
  const waits: number[] = []
  const done = new AbortController()
  const look = async (): Promise<void> => {
    while (!done.signal.aborted) {
      const began = performance.now()
      await send(call)
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

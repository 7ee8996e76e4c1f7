import { openAdmin, readConfig } from '@kontor/server/admin'
import type { Databases } from '../databases.ts'
import type { Options } from '../options.ts'
import { startKontor, type Server } from '../processes.ts'

/** Where things happen by themselves, and where nothing follows the log of events. */
const busy = 'busy'
const still = 'still'

const adminEmail = 'admin@example.com'

type Answer = { readonly data: { readonly id: string; readonly attributes: Readonly<Record<string, unknown>> } }

/** A workspace, and a key of its admin as a header. */
export type Place = { readonly id: string; readonly slug: string; readonly headers: Readonly<Record<string, string>> }

export type AutomationStand = {
  readonly url: string
  readonly folder: string
  readonly busy: Place
  readonly still: Place
  /** Starts the server; one at a time. */
  readonly start: (more?: Readonly<Record<string, string>>) => Promise<Running>
}

/** The server upon the database, and calls of the busy workspace. */
export type Running = {
  readonly server: Server
  readonly call: (method: string, path: string, body?: object) => Promise<Answer>
}

const settings = {
  WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  ENCRYPTION_KEYS: 'a key of at least thirty-two characters',
}

/** An empty database with two workspaces. */
export async function openAutomation(databases: Databases, options: Options): Promise<AutomationStand> {
  const url = await databases.create('automation')
  const { admin, close } = await openAdmin(readConfig({ DATABASE_URL: url }))
  const place = async (slug: string): Promise<Place> => {
    const { workspace } = await admin.createWorkspace({ slug, name: slug, adminEmail })
    const { data } = await admin.createKey({
      workspace: slug,
      email: adminEmail,
      kind: 'personal',
      scopes: [],
      name: 'Benchmark',
    })
    return { id: workspace.id, slug, headers: { Authorization: `api-key ${data.attributes.cleartext_api_key}` } }
  }
  try {
    const [first, second] = [await place(busy), await place(still)]
    const start = async (more: Readonly<Record<string, string>> = {}): Promise<Running> => {
      const server = await startKontor(url, databases.folder, options, { ...settings, ...more })
      return { server, call: callsOf(`${server.baseUrl}/workspaces/${busy}`, first.headers) }
    }
    return { url, folder: databases.folder, busy: first, still: second, start }
  } finally {
    await close()
  }
}

const callsOf =
  (base: string, headers: Readonly<Record<string, string>>): Running['call'] =>
  async (method, path, body) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { ...headers, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}: ${text.slice(0, 500)}`)
    return JSON.parse(text === '' ? '{}' : text) as Answer
  }

const perRequest = 1000

/** Creates companies, a thousand in a request, one request after another. */
export async function createCompanies({ call }: Running, count: number): Promise<void> {
  for (let start = 0; start < count; start += perRequest) {
    const size = Math.min(perRequest, count - start)
    const data = Array.from({ length: size }, (_, index) => ({
      type: 'company',
      attributes: { name: `Company ${start + index}` },
    }))
    await call('POST', '/objects/company/records/bulk', { data })
  }
}

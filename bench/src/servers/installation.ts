import { Client } from 'pg'
import { headersOf, makeWorkspace } from '../installation.ts'
import { databaseCpu } from '../plain/database.ts'
import { startKontor, startLoad, type Load } from '../processes.ts'
import { waitUntil } from '../wait.ts'
import { sampled, type Sampled } from './samples.ts'

export const kinds = ['get', 'create'] as const
export type Kind = (typeof kinds)[number]

/** One kind of requests to a number of servers. CPU is that of one request with what follows it, in microseconds. */
export type Cost = {
  readonly kind: Kind
  readonly servers: number
  readonly perSecond: number
  readonly serverUs: number
  readonly databaseUs: number
  /** Bytes of the log of Postgres for a request. */
  readonly logBytes: number
  readonly sampled: Sampled
}

type Node = Awaited<ReturnType<typeof startKontor>> & { readonly load: Load }

/** To each server: what it gains by answering several requests at once is the same for any number of them. */
const connections = 8
const warmSeconds = 5
const persons = 1000
const base = '/v1/workspaces/acme/objects/person'

const personOf = (lastName: string) => ({
  type: 'person',
  attributes: { name: { first_name: 'Ada', last_name: lastName }, job_title: 'Analyst' },
})

/** Any number of servers on one Postgres, all of which serve one workspace. */
export class Servers {
  readonly #url: string
  readonly #folder: string
  readonly #client: Client
  readonly #nodes: Node[] = []
  #headers: Readonly<Record<string, string>> = {}
  #paths: readonly string[] = []
  #databaseMs: (() => number | undefined) | undefined

  private constructor(url: string, folder: string) {
    this.#url = url
    this.#folder = folder
    this.#client = new Client({ connectionString: url })
  }

  static async open(url: string, folder: string): Promise<Servers> {
    await makeWorkspace(url, folder)
    const servers = new Servers(url, folder)
    await servers.#client.connect()
    servers.#headers = await headersOf(url, folder, 'acme')
    servers.#databaseMs = await databaseCpu(url)
    return servers
  }

  async close(): Promise<void> {
    await this.resize(0)
    await this.#client.end()
  }

  /** Starts servers, which are warm then, or stops some. */
  async resize(count: number): Promise<void> {
    while (this.#nodes.length < count) {
      const node = { ...(await startKontor(this.#url, this.#folder, {})), load: startLoad() }
      if (this.#paths.length === 0) await this.#fill(node)
      for (const kind of kinds) await this.#send(kind, [node], warmSeconds)
      this.#nodes.push(node)
    }
    for (const { load, stop } of this.#nodes.splice(count)) {
      load.stop()
      await stop()
    }
    await this.#settled()
  }

  /** Spreads requests over the servers for a time. */
  async measure(kind: Kind, seconds: number): Promise<Cost> {
    const used = async () => ({
      serverMs: this.#nodes.reduce((sum, node) => sum + (node.cpuMs() ?? 0), 0),
      databaseMs: this.#databaseMs?.() ?? 0,
      logBytes: await this.#one("select (pg_current_wal_lsn() - '0/0')::float8 as value"),
    })
    const before = await used()
    let requests = 0
    const seen = await sampled(this.#client, async () => {
      requests = await this.#send(kind, this.#nodes, seconds)
    })
    await this.#settled()
    const after = await used()
    return {
      kind,
      servers: this.#nodes.length,
      perSecond: requests / seconds,
      serverUs: ((after.serverMs - before.serverMs) * 1000) / requests,
      databaseUs: ((after.databaseMs - before.databaseMs) * 1000) / requests,
      logBytes: (after.logBytes - before.logBytes) / requests,
      sampled: seen,
    }
  }

  async #one(text: string): Promise<number> {
    return Number((await this.#client.query<{ value: number }>(text)).rows[0]?.value)
  }

  #settled(): Promise<void> {
    const left = 'select count(*)::int as value from outbox'
    return waitUntil(async () => (await this.#one(left)) === 0, 'events have their numbers')
  }

  async #send(kind: Kind, nodes: readonly Node[], seconds: number): Promise<number> {
    const request =
      kind === 'get'
        ? { method: 'GET' as const, paths: this.#paths }
        : {
            method: 'POST' as const,
            paths: [`${base}/records`],
            bodies: [JSON.stringify({ data: personOf('Person {n}') })],
          }
    const each = { headers: this.#headers, connections, seconds }
    const results = await Promise.all(nodes.map(({ port, load }) => load.run({ ...request, ...each, port })))
    const failed = results.find(({ failures }) => failures > 0)
    if (failed !== undefined) throw new Error(`a ${kind} was answered ${failed.firstFailure}`)
    return results.reduce((sum, { requests }) => sum + requests, 0)
  }

  async #fill({ port }: Node): Promise<void> {
    const data = Array.from({ length: persons }, (_, number) => personOf(`Person ${number}`))
    const response = await fetch(`http://127.0.0.1:${port}${base}/records/bulk`, {
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify({ data }),
    })
    if (!response.ok) throw new Error(await response.text())
    const made = (await response.json()) as { readonly data: readonly { readonly id: string }[] }
    this.#paths = made.data.map(({ id }) => `${base}/records/${id}`)
  }
}

/**
 * The floor: a bare node:http handler over prepared statements, doing the work of the server on its tables and
 * answering
 * with its bytes. It knows no caller, no rights, no validation, no other object: what those cost is what is measured.
 */
import { createServer, type IncomingMessage } from 'node:http'
import { created, createdMany, list, single } from './answers.ts'
import type { Attributes } from './attributes.ts'
import { filterOf } from './floor-filters.ts'
import { postgresFloor } from './floor-postgres.ts'
import { sqliteFloor } from './floor-sqlite.ts'
import { floorUser, type Order } from './floor-store.ts'
import { recordRows, type Writer } from './rows.ts'

/** Sent as JSON in the first argument. */
export type FloorOptions = Writer & {
  readonly port: number
  readonly databaseUrl: string
  readonly baseUrl: string
  readonly workspace: string
}

type Item = { readonly attributes: Attributes }

const { port, databaseUrl, baseUrl, workspace, ...writer } = JSON.parse(process.argv[2] as string) as FloorOptions
const store = databaseUrl.startsWith('sqlite:')
  ? sqliteFloor(databaseUrl.slice('sqlite:'.length))
  : postgresFloor(databaseUrl)
const records = `/v1/workspaces/${workspace}/objects/person/records`
const resources = `/workspaces/${workspace}/objects/person/resources`

/** The order of a query such as `sortOrder%5Bcolumn%5D=name&sortOrder%5Bdir%5D=ASC&`. */
const orderOf = (query: string): Order => (/column%5D=(name|score)&/.exec(query)?.[1] ?? 'creation') as Order

async function answer(request: IncomingMessage): Promise<[status: number, body: string]> {
  const url = request.url as string
  if (request.method === 'GET') {
    if (url.startsWith(`/v1${resources}`)) {
      const query = url.slice(url.indexOf('?') + 1, url.indexOf('page%5B'))
      const user = request.headers[floorUser]
      const { rows, total } = await (typeof user === 'string'
        ? store.visible(writer.workspaceId, 'person', user, orderOf(query), 51)
        : query === ''
          ? store.list(writer.workspaceId, 'person', 51)
          : store.filtered(writer.workspaceId, 'person', filterOf(query), 51))
      return [200, list('person', `${baseUrl}${resources}`, query, rows, total, 50)]
    }
    const row = await store.get(writer.workspaceId, 'person', url.slice(records.length + 1))
    return row === undefined ? [404, '{}'] : [200, single('person', row)]
  }
  const { data } = JSON.parse(await bodyOf(request)) as { readonly data: Item | readonly Item[] }
  const now = Date.now()
  const rows = [data].flat().map((item) => recordRows(writer, 'person', item.attributes, now))
  await store.create(rows, url.endsWith('?bare'))
  const stored = rows.map(({ record }) => record as never)
  return [201, Array.isArray(data) ? createdMany('person', stored) : created('person', stored[0] as never)]
}

function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => resolve((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString()))
    request.on('error', reject)
  })
}

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  const end = (status: number, body: string): void => {
    response
      .writeHead(status, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
      })
      .end(body)
  }
  answer(request).then(
    (answered) => end(...answered),
    (error: unknown) => end(500, String(error)),
  )
})
server.listen(port, '127.0.0.1')
process.once('SIGTERM', () => {
  server.closeAllConnections()
  server.close(() => void store.close().then(() => process.exit(0)))
})

/**
 * The floor: a bare node:http handler over prepared statements, which reads the server's tables and answers with its
 * bytes. It knows no caller, no rights, no validation, no other object: the cost of those is measured.
 */
import { createServer, type IncomingMessage } from 'node:http'
import { list } from './answers.ts'
import { postgresFloor } from './floor-postgres.ts'
import { sqliteFloor } from './floor-sqlite.ts'
import { floorUser, type Order } from './floor-store.ts'

/** Sent as JSON in the first argument. */
export type FloorOptions = {
  readonly port: number
  readonly databaseUrl: string
  readonly baseUrl: string
  readonly workspace: string
  readonly workspaceId: string
}

const { port, databaseUrl, baseUrl, workspace, workspaceId } = JSON.parse(process.argv[2] as string) as FloorOptions
const store = databaseUrl.startsWith('sqlite:')
  ? sqliteFloor(databaseUrl.slice('sqlite:'.length))
  : postgresFloor(databaseUrl)
const pageUrl = `${baseUrl}/workspaces/${workspace}/objects/person/resources`

/** The order of a query such as `sortOrder%5Bcolumn%5D=name&sortOrder%5Bdir%5D=ASC&`. */
const orderOf = (query: string): Order => (/column%5D=(name|score)&/.exec(query)?.[1] ?? 'creation') as Order

/** The words of a query such as `search=ada&`, as documents have them. */
const wordsOf = (query: string): string =>
  decodeURIComponent(query.slice('search='.length, -1)).normalize('NFKC').toLowerCase()

async function answer({ url = '', headers }: IncomingMessage): Promise<string> {
  const query = url.slice(url.indexOf('?') + 1, url.indexOf('page%5B'))
  const user = headers[floorUser]
  const { rows, total } = await (typeof user === 'string'
    ? store.visible(workspaceId, user, orderOf(query), 51)
    : store.search(workspaceId, wordsOf(query), 51))
  return list(pageUrl, query, rows, total, 50)
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
    (body) => end(200, body),
    (error: unknown) => end(500, String(error)),
  )
})
server.listen(port, '127.0.0.1')
process.once('SIGTERM', () => {
  server.closeAllConnections()
  server.close(() => void store.close().then(() => process.exit(0)))
})

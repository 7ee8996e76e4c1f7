import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { memberOf, numberOf } from '../lib/guards.ts'

/** Longer than load balancers keep an idle connection, so that it is theirs to close. */
const keepAliveTimeout = 65_000

/** The head of a request is one packet or two. Node answers 408 to a client that sends it slowly, on purpose or not. */
const headersTimeoutMsMax = 30_000
const connectionsCheckingInterval = 1000

/** Connections beyond that are closed at once. An idle one costs some 10 KB, and one of the process's files. */
const connectionsMax = 20_000

/**
 * Connections that the system may keep for us until we come to them; with its own default, thousands at once lose some.
 */
const connectionsWaitingMax = 4096

/**
 * An HTTP server with the limits on connections and on the time that a request may take to arrive. Node has one limit
 * for all, and files take as long as they take: where `mayTakeLong` says so, their reader watches that they go on.
 */
export function createLimitedServer(
  requestTimeoutMs: number,
  answer: RequestListener,
  mayTakeLong: (url: string) => boolean = () => false,
): Server {
  const server = createServer(
    {
      keepAliveTimeout,
      connectionsCheckingInterval,
      requestTimeout: 0,
      headersTimeout: Math.min(requestTimeoutMs, headersTimeoutMsMax),
    },
    (request, response) => {
      if (hasBody(request) && !mayTakeLong(request.url ?? '')) limitArrival(request, response, requestTimeoutMs)
      answer(request, response)
    },
  )
  server.maxConnections = connectionsMax
  return server
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Ends a request whose body takes too long with 408, as Node does. */
function limitArrival(request: IncomingMessage, response: ServerResponse, requestTimeoutMs: number): void {
  const timer = setTimeout(() => {
    if (request.complete) return
    if (!response.headersSent) response.writeHead(408, { Connection: 'close' }).end()
    request.socket.destroySoon()
  }, requestTimeoutMs)
  request.once('close', () => clearTimeout(timer))
}

/** Listens; returns the port, which is a free one for 0. */
export const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: connectionsWaitingMax }, () => {
      server.off('error', reject)
      resolve(numberOf(memberOf(server.address(), 'port')))
    })
  })

/** Ends each connection after its next response: its client opens another one, to a server that stays. */
export const endConnections = (server: Server): unknown =>
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'))

const sweepEveryMs = 50

/** Takes no more connections, and ends those that are open: when they are idle, and all of them after `drainMs`. */
export async function drain(server: Server, drainMs: number): Promise<void> {
  const forced = setTimeout(() => server.closeAllConnections(), drainMs)
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A connection that is kept alive becomes idle only once its request has been answered.
  const sweeping = setInterval(() => server.closeIdleConnections(), sweepEveryMs)
  server.closeIdleConnections()
  await closed
  clearTimeout(forced)
  clearInterval(sweeping)
}

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { systemClock } from '../kernel/clock.ts'
import { failure } from '../kernel/errors.ts'
import { newId } from '../kernel/ids.ts'
import { memberOf, numberOf } from '../lib/guards.ts'
import { hasBody } from './body.ts'
import { errorShape, toTrpcError } from './trpc-errors.ts'

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
  server.on('clientError', answerUnreadable)
  return server
}

const texts: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Answers a request that cannot be read, as Node does, with the one error body where the headers are too large. */
function answerUnreadable(error: Error, socket: Duplex): void {
  // Nothing may follow an answer that has begun; its connection cannot go on.
  const hasBegun = memberOf(memberOf(socket, '_httpMessage'), 'headersSent') === true
  if (!socket.writable || hasBegun) return void socket.destroy(error)
  const code = String(memberOf(error, 'code'))
  const body = code === 'HPE_HEADER_OVERFLOW' ? JSON.stringify(tooLarge(memberOf(error, 'rawPacket'))) : ''
  const type = body === '' ? '' : 'Content-Type: application/json; charset=utf-8\r\n'
  const head = `HTTP/1.1 ${texts[code] ?? '400 Bad Request'}\r\nConnection: close\r\n${type}`
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

/** The body that says that a head is too large; a client of tRPC reads it in the shape of tRPC. */
function tooLarge(head: unknown): unknown {
  const detail =
    'The URL and the headers are over 16 KiB together. Send a long input in a body: by POST …/resources/query, or in ' +
    'tRPC with `methodOverride: "POST"`.'
  const failed = failure('headers_too_large', detail)
  const requestId = newId(systemClock.now())
  const isTrpc =
    head instanceof Uint8Array && /^\S+ \/trpc\//.test(Buffer.from(head.subarray(0, 64)).toString('latin1'))
  return isTrpc ? { error: errorShape(toTrpcError(failed), requestId) } : failed.toBody(requestId)
}

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

/** A turn of the event loop that takes no connection and is this short leaves none; under load few turns are. */
const quietMs = 10
const quietWithinMs = 3000

/**
 * Waits until the system keeps no connections for us: it resets them when the port closes. A turn of the event loop
 * takes one of them, so that with clients that connect anew for each request they may be those of all clients
 * (docs/decisions/0110).
 */
async function noneWaiting(server: Server): Promise<void> {
  let taken = 0
  const count = () => void taken++
  server.on('connection', count)
  const until = systemClock.monotonicMs() + quietWithinMs
  // To the end of the turn under way, which may be past the place where connections are taken.
  await new Promise(setImmediate)
  for (let isQuiet = false; !isQuiet;) {
    const [began, before] = [systemClock.monotonicMs(), taken]
    await new Promise(setImmediate)
    const ended = systemClock.monotonicMs()
    isQuiet = (taken === before && ended - began < quietMs) || ended > until
  }
  server.off('connection', count)
}

/** Takes no more connections, and ends those that are open: when they are idle, and all of them after `drainMs`. */
export async function drain(server: Server, drainMs: number): Promise<void> {
  await noneWaiting(server)
  const forced = setTimeout(() => server.closeAllConnections(), drainMs)
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A connection that is kept alive becomes idle only once its request has been answered.
  const sweeping = setInterval(() => server.closeIdleConnections(), sweepEveryMs)
  server.closeIdleConnections()
  await closed
  clearTimeout(forced)
  clearInterval(sweeping)
}

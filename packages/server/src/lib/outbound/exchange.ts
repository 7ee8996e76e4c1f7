import type { ClientRequest, IncomingMessage } from 'node:http'
import { isString, memberOf } from '../guards.ts'
import { OutboundFailure } from './failure.ts'

export type OutboundRequest = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Longest part of the response body that is kept, if not `bodyBytesMax`. */
  readonly answerBytesMax?: number
  /** Reads the body of the answer; by default it is UTF-8. */
  readonly decode?: (bytes: Buffer) => string
}

export type OutboundAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The beginning of the body. */
  readonly body: string
  /** True if the body was longer than what is kept of it. */
  readonly isCut: boolean
}

/** Longest part of a response body that is kept; then the connection is closed, so that an endless one ends. */
export const bodyBytesMax = 65_536

type Exchange = {
  readonly keptBytesMax: number
  readonly body: string | undefined
  readonly decode: ((bytes: Buffer) => string) | undefined
  readonly isSecure: boolean
  /** Aborted when the time is over. */
  readonly timeout: AbortSignal
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** Sends the body of a request that has begun, and reads the answer. */
export function exchange(
  request: ClientRequest,
  { body, decode = utf8, keptBytesMax, isSecure, timeout, timeoutMs, signal }: Exchange,
): Promise<OutboundAnswer> {
  let isConnected = !isSecure
  const { promise, resolve, reject } = Promise.withResolvers<OutboundAnswer>()
  const stop = () => request.destroy(new OutboundFailure('timeout', `No complete response within ${timeoutMs} ms.`))
  const abort = () => request.destroy()
  timeout.addEventListener('abort', stop, { once: true })
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted === true) abort()
  const fail = (error: unknown) => {
    if (timeout.aborted) reject(new OutboundFailure('timeout', `No complete response within ${timeoutMs} ms.`, error))
    else reject(signal?.aborted === true ? signal.reason : failureOf(error, isConnected))
  }
  request.on('socket', (socket) => socket.once('secureConnect', () => (isConnected = true)))
  request.on('error', fail)
  request.on(
    'response',
    (answer) =>
      void read(answer, keptBytesMax, decode)
        .then(resolve, fail)
        .finally(() => request.destroy()),
  )
  // Without this an answer that switches protocols would leave the promise open.
  request.on('upgrade', (_, socket) => {
    socket.destroy()
    fail(new OutboundFailure('invalid_answer', 'The response switches to another protocol.'))
  })
  request.on('close', () => {
    timeout.removeEventListener('abort', stop)
    signal?.removeEventListener('abort', abort)
    fail(new Error('The connection was closed'))
  })
  request.end(body)
  return promise
}

const utf8 = (bytes: Buffer): string => bytes.toString()

/** Reads an answer up to what is kept of it. */
async function read(
  answer: IncomingMessage,
  bytesMax: number,
  decode: (bytes: Buffer) => string,
): Promise<OutboundAnswer> {
  const chunks: Buffer[] = []
  let bytes = 0
  const parts: AsyncIterable<Buffer> = answer
  for await (const chunk of parts) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > bytesMax) break
  }
  return {
    status: answer.statusCode ?? 0,
    headers: headersOf(answer),
    body: storable(decode(Buffer.concat(chunks).subarray(0, bytesMax))),
    isCut: bytes > bytesMax,
  }
}

/** Cookies are left out: they are for a browser, and often a secret. */
const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || name === 'set-cookie' ? [] : [[name, String(value)]],
    ),
  )

/** Postgres keeps no NUL in texts. */
const storable = (text: string): string => text.replaceAll('\0', '\uFFFD')

function failureOf(error: unknown, isConnected: boolean): OutboundFailure {
  if (error instanceof OutboundFailure) return error
  const found = memberOf(error, 'code')
  const code = isString(found) ? found : ''
  const message = String(memberOf(error, 'message') ?? error)
  if (code.startsWith('HPE_'))
    return new OutboundFailure('invalid_answer', `The response is not HTTP: ${message}`, error)
  // Messages of the system name the address, which a caller is never shown; its codes do not.
  // A connection that is refused is none; what fails between it and the first byte is the encryption.
  const isTls = !isConnected && !/^(ECONN|EHOST|ENET|ETIMEDOUT|EADDR|EPIPE)/.test(code)
  return isTls
    ? new OutboundFailure('tls', `No encrypted connection: ${message}`, error)
    : new OutboundFailure('connection', `The connection failed: ${code || message}`, error)
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorDefinitions } from '@kontor/contract'
import type { Failure } from '../kernel/errors.ts'
import { matchesTag } from '../kernel/preconditions.ts'
import { jsonInPortions } from '../lib/portions.ts'
import { compressedBytesMin, encodingFor, tagOfForm, type Encoding } from './accept-encoding.ts'
import { compress } from './compress.ts'

/** For answers that no browser renders: nothing may be framed, sniffed, cached or run. */
export const apiSecurityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const

export const jsonType = 'application/json; charset=utf-8'

/** Sends a body as JSON; undefined is no body at all. */
export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>>,
  type: string = jsonType,
): void {
  if (body === undefined) {
    if (response.headersSent || response.destroyed) return
    response.writeHead(status, { ...apiSecurityHeaders, ...headers })
    response.end()
    return
  }
  sendText(response, status, JSON.stringify(body), headers, type)
}

function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>>,
  type: string,
): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, {
    ...apiSecurityHeaders,
    ...headers,
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
  })
  deliver(response, text)
}

/** Takes room for an answer until it has been read. */
export type HoldAnswer = (response: ServerResponse, bytes: number, isRepeatable: boolean) => void

/** Facts about a response that are required before it is sent. */
type Sending = {
  /** Its length would tell something of a secret. */
  readonly isSecret: boolean
  /** The caller may ask again: nothing was changed. */
  readonly isRepeatable: boolean
  readonly hold: HoldAnswer
}

/**
 * Sends the answer of an operation as `send` does, or compressed where it is long and its caller takes that. Not what
 * holds a secret, of which the length would tell; nor what has an `ETag`, which names these bytes and the version that
 * `If-Match` asks for.
 */
export async function sendAnswer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>>,
  { isSecret, isRepeatable, hold }: Sending,
): Promise<void> {
  if (body === undefined || response.destroyed) return send(response, status, body, headers)
  const text = await jsonInPortions(body)
  hold(response, text.length, isRepeatable)
  if (isSecret || headers['ETag'] !== undefined) return sendText(response, status, text, headers, jsonType)
  const encoding = encodingFor(response.req, text.length)
  if (encoding !== undefined || text.length >= compressedBytesMin) response.appendHeader('Vary', 'Accept-Encoding')
  if (encoding === undefined) return sendText(response, status, text, headers, jsonType)
  await sendCompressed(response, status, text, headers, encoding)
}

/**
 * Sends an answer whose `ETag` is a digest of it, or 304 to a reader that has it. It is a document, and so always long
 * enough to be compressed.
 */
export async function sendDigested(
  response: ServerResponse,
  body: unknown,
  { ETag: digest = '', ...headers }: Readonly<Record<string, string>>,
  hold: HoldAnswer,
): Promise<void> {
  const encoding = encodingFor(response.req, Infinity)
  const tag = tagOfForm(digest, encoding)
  const tagged = { ...headers, ETag: tag }
  response.appendHeader('Vary', 'Accept-Encoding')
  if (matchesTag(response.req.headers['if-none-match'], tag)) return send(response, 304, undefined, tagged)
  const text = JSON.stringify(body)
  hold(response, text.length, true)
  if (encoding === undefined) return sendText(response, 200, text, tagged, jsonType)
  await sendCompressed(response, 200, text, tagged, encoding)
}

async function sendCompressed(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>>,
  encoding: Encoding,
): Promise<void> {
  const bytes = await compress(encoding, text)
  if (response.destroyed) return
  response.writeHead(status, {
    ...apiSecurityHeaders,
    ...headers,
    'Content-Type': jsonType,
    'Content-Encoding': encoding,
    'Content-Length': bytes.length,
  })
  response.end(bytes)
}

/** Sends an answer that is a text. */
export const sendPlainText = (
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>>,
): void => sendText(response, status, text, headers, 'text/plain; charset=utf-8')

/** Sends an answer as Markdown, for language models and for people who read along. */
export function sendMarkdown(
  response: ServerResponse,
  text: string,
  headers: Readonly<Record<string, string>>,
  hold: HoldAnswer,
): void {
  hold(response, text.length, true)
  response.appendHeader('Vary', 'Accept')
  sendText(response, 200, text, headers, 'text/markdown; charset=utf-8')
}

/** Returns the headers of an error: when to retry, and which methods are allowed. */
export const failureHeaders = ({ retryAfterSeconds, allow }: Failure): Record<string, string> => ({
  ...(retryAfterSeconds !== undefined && { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))) }),
  ...(allow !== undefined && { Allow: allow.join(', ') }),
})

/** Sends an error to the callers of a surface. */
export type SendFailure = (
  request: IncomingMessage,
  response: ServerResponse,
  error: Failure,
  requestId: string,
  headers: Readonly<Record<string, string>>,
) => void

/** Wraps the error body for callers that would not understand it as it is. */
export const inShape =
  (shape: (error: Failure, requestId: string) => unknown): SendFailure =>
  (_request, response, error, requestId, headers) =>
    send(response, error.status, shape(error, requestId), { ...headers, ...failureHeaders(error) })

/** Sends the one error body, or RFC 9457 to those who ask for `application/problem+json`. */
export const sendFailure: SendFailure = (request, response, error, requestId, headers) => {
  const all = { ...headers, ...failureHeaders(error) }
  const body = error.toBody(requestId)
  if (request.headers.accept?.includes('application/problem+json') !== true)
    return send(response, error.status, body, all)
  const [first] = body.errors
  const problem = {
    type: `urn:kontor:error:${error.code}`,
    title: errorDefinitions[error.code].title,
    status: error.status,
    detail: first?.detail,
    instance: `urn:kontor:request:${requestId}`,
    code: error.code,
    errors: body.errors,
  }
  send(response, error.status, problem, all, 'application/problem+json; charset=utf-8')
}

type Delivery = { readonly response: ServerResponse; readonly text: string }

/** An answer waits for at most so many others, or for so much text, to be made after it. */
const answersMax = 32
const charactersMax = 65_536

// A process has one event loop, whose turn this is of; every answer goes out on a connection of its own.
// oxlint-disable-next-line kontor/module-state
let waiting: Delivery[] = []
// oxlint-disable-next-line kontor/module-state
let characters = 0

/**
 * Sends the answers that are made in one turn of the event loop one after another at its end. If each were sent
 * as it is made, each would wake up its reader, often the same client or proxy: a third of the time of a get.
 */
export function deliver(response: ServerResponse, text: string): void {
  if (waiting.length === 0) setImmediate(deliverAll)
  waiting.push({ response, text })
  characters += text.length
  if (waiting.length >= answersMax || characters >= charactersMax) deliverAll()
}

function deliverAll(): void {
  const deliveries = waiting
  waiting = []
  characters = 0
  for (const { response, text } of deliveries) response.end(text, encodingOf(text))
}

/** ASCII is the same as Latin-1, in which a text is copied as it stands. */
const encodingOf = (text: string): 'latin1' | 'utf8' => (Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8')

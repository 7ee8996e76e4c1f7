import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { positionHeader, urlBytesMax } from '@kontor/contract'
import { toFailure } from '../kernel/invoke/database-failures.ts'
import { Failure, failure } from '../kernel/errors.ts'
import type { HeaderSink, Incoming } from '../kernel/invoke/runtime.ts'
import type { Admission } from './admission.ts'
import { sendFailure, type SendFailure } from './answer.ts'
import type { Challenge } from './challenge.ts'
import type { NetworkOf } from './network.ts'
import { defined } from '../lib/guards.ts'
import { chainHeader } from '../kernel/preconditions.ts'
import type { Call } from '../kernel/calls.ts'

/** Facts about a request for the log; filled in as soon as they are known. */
export type Note = { operation?: string }

/** Answers one request. */
type Answerer = (requestId: string, headers: HeaderSink, note: Note) => Promise<void>

/** Runs one request from its first to its last byte: admission, request id, error body, one line in the log. */
export type Exchange = (
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answerer,
  refuse?: SendFailure,
) => Promise<void>

type ExchangeOptions = {
  readonly logger: Logger
  readonly newId: () => string
  readonly admission: Admission
  readonly challenge: Challenge
  readonly networkOf: NetworkOf
  /** Told of every answer. */
  readonly count: (status: number) => void
}

/** Neither bodies, nor query strings, nor credentials are logged: they hold what customers entrust to the workspace. */
export function createExchange({ logger, newId, admission, challenge, count, networkOf }: ExchangeOptions): Exchange {
  const mayLog = seldomAway()
  return async (request, response, answer, refuse = sendFailure) => {
    const started = performance.now()
    const requestId = requestIdOf(request, newId)
    const headers: HeaderSink = { 'X-Request-Id': requestId }
    const note: Note = {}
    try {
      admission.enter(response, { network: networkOf(request), claimsCredential: claimsCredential(request) })
      if (urlOf(request).length > urlBytesMax)
        throw failure('uri_too_long', `The URL is over ${urlBytesMax} bytes.`, { meta: { limit_bytes: urlBytesMax } })
      await answer(requestId, headers, note)
    } catch (error) {
      const failed = toFailure(error)
      const known =
        failed instanceof Failure
          ? failed
          : failure('internal', 'The server failed unexpectedly. Report the request id.')
      if (known !== failed) logger.error({ requestId, err: error }, 'request failed')
      else if (known.cause !== undefined && mayLog(known))
        logger.warn({ requestId, err: known.cause }, 'request refused')
      refuse(request, response, known, requestId, { ...headers, ...challenge(known, credentialOf(request)) })
    }
    count(response.statusCode)
    if (logger.isLevelEnabled('info')) {
      const ms = Math.round((performance.now() - started) * 100) / 100
      const cut = response.destroyed && !response.writableEnded && { cut: true }
      logger.info(
        {
          requestId,
          operation: note.operation,
          method: request.method,
          path: pathOf(request),
          status: response.statusCode,
          ms,
          ...cut,
        },
        'request',
      )
    }
  }
}

/** A database that is away fails every request, and each for the same reason. */
const awayLoggedEveryMs = 1000

function seldomAway(): (known: Failure) => boolean {
  let loggedMs = -Infinity
  return ({ code }) => {
    if (code !== 'unavailable') return true
    if (performance.now() - loggedMs < awayLoggedEveryMs) return false
    loggedMs = performance.now()
    return true
  }
}

/** The whole URL; Express cuts off where a middleware is mounted. */
const urlOf = (request: IncomingMessage & { readonly originalUrl?: string }): string =>
  request.originalUrl ?? request.url ?? ''

const pathOf = (request: IncomingMessage): string => urlOf(request).split('?', 1)[0]?.slice(0, 300) ?? ''

/** One header as text; a repeated one counts as its first. */
function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

const schemeBefore = /^(api-key|bearer) +/i

/**
 * Returns the credential of a request: `Authorization`, or `X-API-Key` for clients that can send no scheme of ours.
 * One that sends both sends one credential twice, or is refused for sending two.
 */
export function credentialOf(request: IncomingMessage): string | undefined {
  const [authorization, given] = [header(request, 'authorization'), header(request, 'x-api-key')]
  if (given === undefined) return authorization
  const key = given.trim().replace(schemeBefore, '')
  if (authorization === undefined || authorization.trim().replace(schemeBefore, '') === key) return `api-key ${key}`
  return `${authorization}, api-key ${key}`
}

/** Surfaces that check a credential before they read a body: pages, forms and OAuth read first. */
const checkedFirst = /^\/((v1|trpc|actions)[/?]|mcp([/?]|$))/

/** Returns whether a URL is the signed one of a file. */
export const isSignedFile = (url: string): boolean => url.startsWith('/v1/files/')

/**
 * Returns whether a request has a credential that is checked before its body is read; a signed URL of a file is one.
 */
const claimsCredential = (request: IncomingMessage & { readonly originalUrl?: string }): boolean => {
  const url = request.originalUrl ?? request.url ?? ''
  return isSignedFile(url) || (credentialOf(request) !== undefined && checkedFirst.test(url))
}

const requestIdShape = /^[\w.:-]{1,128}$/

/** The caller's own `X-Request-Id` where it is a plain one, so that its log and ours can be read together. */
export function requestIdOf(request: IncomingMessage, newId: () => string): string {
  const given = header(request, 'x-request-id')
  return given !== undefined && requestIdShape.test(given) ? given : newId()
}

/** Reads the headers that every transport uses. */
export const incomingHeaders = (
  request: IncomingMessage,
  requestId: string,
): Omit<Incoming, 'surface' | 'scope' | 'readInput'> => ({
  authorization: credentialOf(request),
  idempotencyKey: header(request, 'idempotency-key'),
  ifMatch: header(request, 'if-match'),
  lastEventId: header(request, 'last-event-id'),
  position: header(request, positionHeader.toLowerCase()),
  chain: header(request, chainHeader),
  requestId,
})

/** Headers that carry credentials: nothing that may store them is told of these. */
const credentials = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key'])

/** Of a request to an address that is its own credential, all headers but those that carry another. */
export function arrivalHeaders(request: IncomingMessage, { endpoint }: Call): Pick<Incoming, 'headers'> {
  if (endpoint.caller !== 'address') return {}
  const headers = Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
    credentials.has(name) ? [] : [[name, values.length === 1 ? defined(values[0]) : values] as const],
  )
  return { headers: Object.fromEntries(headers) }
}

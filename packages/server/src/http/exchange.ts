import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { urlBytesMax } from '@kontor/contract'
import { toFailure } from '../kernel/invoke/database-failures.ts'
import { Failure, failure } from '../kernel/errors.ts'
import type { HeaderSink } from '../kernel/invoke/runtime.ts'
import type { Admission } from './admission.ts'
import { sendFailure, type SendFailure } from './answer.ts'
import type { Challenge } from './challenge.ts'
import type { NetworkOf } from './network.ts'
import { claimsCredential, credentialOf, requestIdOf } from './request.ts'

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
        failed instanceof Failure ? failed : failure('internal', 'Something went wrong here. Report the request id.')
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

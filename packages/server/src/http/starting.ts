import type { RequestListener } from 'node:http'
import { Failure } from '../kernel/errors.ts'
import { send, sendFailure } from './answer.ts'
import { requestIdOf } from './exchange.ts'

const retryAfterSeconds = 1

/**
 * Answers while the server starts, from the first connection on: a request that waited for the start would be one that
 * hangs, of a health probe too.
 */
export const startingListener =
  (newId: () => string): RequestListener =>
  (request, response) => {
    const requestId = requestIdOf(request, newId)
    const headers = { 'X-Request-Id': requestId }
    const path = (request.url ?? '').split('?', 1)[0]
    if (path === '/healthz') return send(response, 200, { status: 'ok' }, headers)
    if (path === '/readyz')
      return send(response, 503, { status: 'starting' }, { ...headers, 'Retry-After': String(retryAfterSeconds) })
    return sendFailure(
      request,
      response,
      new Failure({ code: 'starting', detail: 'The server is starting; try again.' }, { retryAfterSeconds }),
      requestId,
      headers,
    )
  }

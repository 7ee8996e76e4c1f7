import type { IncomingMessage } from 'node:http'
import type { Incoming } from '../kernel/invoke.ts'

/** One header as text; a repeated one counts as its first. */
function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

const requestIdShape = /^[\w.:-]{1,128}$/

/** The caller's own `X-Request-Id` where it is a plain one, so that its log and ours can be read together. */
export function requestIdOf(request: IncomingMessage, newId: () => string): string {
  const given = header(request, 'x-request-id')
  return given !== undefined && requestIdShape.test(given) ? given : newId()
}

/** What every transport takes from the headers. */
export const incomingHeaders = (request: IncomingMessage, requestId: string): Omit<Incoming, 'surface' | 'scope' | 'readInput'> => ({
  authorization: header(request, 'authorization'),
  idempotencyKey: header(request, 'idempotency-key'),
  ifMatch: header(request, 'if-match'),
  requestId,
})

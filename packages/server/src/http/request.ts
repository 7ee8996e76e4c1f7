import type { IncomingMessage } from 'node:http'
import { defined } from '../lib/guards.ts'
import { chainHeader } from '../kernel/headers.ts'
import type { Call } from '../kernel/calls.ts'
import type { Incoming } from '../kernel/invoke/runtime.ts'

/** One header as text; a repeated one counts as its first. */
function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

const schemeBefore = /^(api-key|bearer) +/i

/**
 * What a request names its caller with: `Authorization`, or `X-API-Key` for clients that can send no scheme of ours.
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

/**
 * Returns whether a request has a credential that is checked before its body is read; a signed URL of a file is one.
 */
export const claimsCredential = (request: IncomingMessage & { readonly originalUrl?: string }): boolean => {
  const url = request.originalUrl ?? request.url ?? ''
  return url.startsWith('/v1/files/') || (credentialOf(request) !== undefined && checkedFirst.test(url))
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

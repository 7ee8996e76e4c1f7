import type { Random } from '../harness/random.ts'
import type { WireRequest } from './wire.ts'
import type { Words } from './words.ts'

/** Something odd about a request that no value of its call can say. */
export type Quirk = (request: WireRequest, random: Random, words: Words) => WireRequest

/** The request with more headers, beside those that it has. */
export const withHeader = (request: WireRequest, ...headers: readonly (readonly [string, string])[]): WireRequest => ({
  ...request,
  headers: [...request.headers, ...headers],
})
/** The request without a header, given in lower case. */
export const without = (request: WireRequest, name: string): WireRequest => ({
  ...request,
  headers: request.headers.filter(([given]) => given.toLowerCase() !== name),
})
/** The request with a header in place of the one that it has. */
export const replaced = (request: WireRequest, name: string, value: string): WireRequest =>
  withHeader(without(request, name.toLowerCase()), [name, value])
/** The request with more in its query. */
export const withQuery = (request: WireRequest, text: string): WireRequest => ({
  ...request,
  target: `${request.target}${request.target.includes('?') ? '&' : '?'}${text}`,
})
/** The request changed so that it may reach something else, or nothing. */
export const astray = (request: WireRequest, change: Partial<WireRequest>): WireRequest => ({
  ...request,
  ...change,
  astray: true,
})

/** The bytes of a text as characters, as a careless client puts them into a head. */
export const latin = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replaceAll(/[\r\n\0]/g, '.')

import cors from 'cors'
import { positionHeader } from '@kontor/contract'
import type { IncomingMessage, RequestListener } from 'node:http'

/** Response headers that a page on another origin may read. */
const exposedHeaders = [
  'ETag',
  'X-Request-Id',
  'Allow',
  'Idempotency-Replayed',
  positionHeader,
  'Retry-After',
  'WWW-Authenticate',
  'Deprecation',
  'Sunset',
  'Link',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
]

/** The time for which a browser may remember the answer to a preflight; Chromium's own maximum. */
const maxAgeSeconds = 7200

/** Origins that are told of, each once; callers choose what they send, and the log must not grow with it. */
const refusedToldMax = 100
const originCharactersMax = 200

type CrossOrigin = {
  /** Origins whose pages may call; `*` for any. */
  readonly origins: readonly string[]
  /** Our own origins: forms of our pages name them. */
  readonly own: readonly string[]
  /** URLs whose handlers answer other origins by themselves. */
  readonly saysItself: (url: string) => boolean
  /** Hears of each origin that was refused, the first time. */
  readonly onRefused: (origin: string) => void
}

/**
 * Lets pages on these origins call. Callers send their credential in a header and never as a cookie, so a page can do
 * nothing that the person who gave it the credential could not.
 */
export function crossOrigin(
  { origins, own, saysItself, onRefused }: CrossOrigin,
  listener: RequestListener,
): RequestListener {
  const toAll = origins.includes('*')
  const allow =
    origins.length > 0 ? cors({ origin: toAll ? '*' : [...origins], exposedHeaders, maxAge: maxAgeSeconds }) : undefined
  const expected = new Set([...origins, ...own])
  const tell = onceEach(onRefused)
  return (request, response) => {
    const { origin } = request.headers
    if (origin === undefined || saysItself(request.url ?? '')) return listener(request, response)
    if (!toAll && !expected.has(origin) && !isSameHost(origin, request)) tell(origin)
    if (allow === undefined) listener(request, response)
    else allow(request, response, () => listener(request, response))
  }
}

/** A page of this server behind a proxy whose address no setting names. */
const isSameHost = (origin: string, { headers }: IncomingMessage): boolean =>
  origin.replace(/^https?:\/\//, '') === headers.host

function onceEach(tell: (origin: string) => void): (origin: string) => void {
  const told = new Set<string>()
  return (origin) => {
    const text = origin.slice(0, originCharactersMax)
    if (told.has(text) || told.size >= refusedToldMax) return
    told.add(text)
    tell(text)
  }
}

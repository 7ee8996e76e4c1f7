import cors from 'cors'
import type { RequestListener } from 'node:http'

/** What a page on another origin may read of an answer, beside its body. */
const exposedHeaders = [
  'ETag', 'X-Request-Id', 'Idempotency-Replayed', 'Retry-After',
  'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'RateLimit-Policy', 'RateLimit',
]

/** How long a browser may remember the answer to a preflight; Chromium's own maximum. */
const maxAgeSeconds = 7200

/**
 * Lets pages on these origins call (`['*']`: on any). Callers name themselves in a header and never by a cookie, so a
 * page can do nothing that whoever gave it a credential could not. What `saysItself` is left alone.
 */
export function crossOrigin(origins: readonly string[], listener: RequestListener, saysItself: (url: string) => boolean): RequestListener {
  if (origins.length === 0) return listener
  const allow = cors({ origin: origins.includes('*') ? '*' : [...origins], exposedHeaders, maxAge: maxAgeSeconds })
  return (request, response) => {
    if (request.headers.origin === undefined || saysItself(request.url ?? '')) listener(request, response)
    else allow(request, response, () => listener(request, response))
  }
}

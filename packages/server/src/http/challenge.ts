import type { Failure } from '../kernel/errors.ts'
import { isString } from '../lib/guards.ts'
import { routes } from './oauth/routes.ts'

/** The header `WWW-Authenticate`, by which callers learn to authenticate, or that they need more scopes. */
export type Challenge = (failed: Failure, credential: string | undefined) => Readonly<Record<string, string>>

/**
 * The challenges of the API at an address. They name the metadata of RFC 9728 §5.1, by which a client that knows this
 * address alone finds who makes tokens. The word of RFC 6750 §3 is said where a token was sent; where no single
 * scope would help, there is none to ask for.
 */
export function challengeOf(baseUrl: string): Challenge {
  const { origin, pathname } = new URL(baseUrl)
  const metadata = `resource_metadata="${origin}${routes.resourceMetadata}${pathname}"`
  return ({ status, code, faults: [fault] }, credential = '') => {
    const isToken = /^bearer /i.test(credential)
    if (status === 401) {
      const error = isToken ? 'error="invalid_token", ' : ''
      return { 'WWW-Authenticate': `Bearer realm="kontor", ${error}${metadata}, api-key realm="kontor"` }
    }
    const required = fault?.meta?.['required']
    if (code !== 'insufficient_scope' || !isToken || !isString(required)) return {}
    return {
      'WWW-Authenticate': `Bearer realm="kontor", error="insufficient_scope", scope="${required}", ${metadata}`,
    }
  }
}

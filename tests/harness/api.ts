import type { Answer, HttpClient } from './http.ts'
import type { Caller, Cast, KeyName } from './people.ts'

/** Parameters as they stand in a URL, unencoded: `{'page[limit]': 5}`. */
export type QueryText = Readonly<Record<string, string | number | boolean>>

export type RequestOptions = {
  /** By default the admin's access token. */
  readonly as?: Caller
  readonly query?: QueryText
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; a text or bytes go as they are. */
  readonly body?: unknown
}

export const encodeQuery = (query: QueryText = {}): string =>
  Object.entries(query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')

export type Credentials = { readonly cast: Cast; readonly keys: Partial<Record<KeyName, string>> }

export function authorizationOf(caller: Caller, { cast, keys }: Credentials): string | undefined {
  if (typeof caller === 'object') return caller.authorization
  if (caller === 'anonymous') return undefined
  return caller in cast.tokens
    ? `Bearer ${cast.tokens[caller as keyof Cast['tokens']]}`
    : `api-key ${keys[caller as KeyName]}`
}

/**
 * Calls of one app. Paths begin below the base URL; a whole URL, such as a link of an answer, is followed unchanged.
 */
export function apiOf(http: HttpClient, baseUrl: string, credentials: Credentials) {
  const send = (
    method: string,
    path: string,
    { as = 'admin', query, headers = {}, body }: RequestOptions = {},
  ): Promise<Answer> => {
    const authorization = authorizationOf(as, credentials)
    const search = encodeQuery(query)
    const raw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    return http.send({
      method,
      url: `${path.startsWith('http') ? path : baseUrl + path}${search && (path.includes('?') ? '&' : '?')}${search}`,
      headers: {
        ...(authorization !== undefined && { Authorization: authorization }),
        ...(raw !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: raw,
    })
  }
  const by = (method: string) => (path: string, options?: RequestOptions) => send(method, path, options)
  return { send, get: by('GET'), post: by('POST'), put: by('PUT'), patch: by('PATCH'), delete: by('DELETE') }
}

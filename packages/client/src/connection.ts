/**
 * Gives the access token for a request. `refused` is the token that the API has just refused: give another one, or the
 * same where there is none.
 */
export type TokenSource = (refused?: string) => string | Promise<string>

/** Where the API is, who calls, and how requests are sent. */
export type Connection = {
  /** Address of the API with its `/v1`, as `npm start` prints it. */
  readonly url: string
  /** Number of times a request is sent again while the API is busy or does not respond; 3 by default. */
  readonly retries?: number
  /** Sends the requests, instead of the platform's `fetch`. */
  readonly fetch?: typeof fetch
} & ({ readonly apiKey: string } | { readonly accessToken: string | TokenSource })

/** The address without a slash at its end. */
export const baseOf = ({ url }: Connection): string => url.replace(/\/+$/, '')

/** The `Authorization` header of a request. */
export async function authorization(connection: Connection, refused?: string): Promise<string> {
  if ('apiKey' in connection) return `api-key ${connection.apiKey}`
  const { accessToken } = connection
  return `Bearer ${typeof accessToken === 'string' ? accessToken : await accessToken(refused)}`
}

/** The token of a header that was refused, if another one may be had. */
export const refusedToken = (connection: Connection, header: string): string | undefined =>
  'accessToken' in connection && typeof connection.accessToken === 'function'
    ? header.slice('Bearer '.length)
    : undefined

/** Who calls, and where the API is. */
export type Connection = {
  /** Address of the API with its `/v1`, as `npm start` prints it. */
  readonly url: string
} & ({ readonly apiKey: string } | { readonly accessToken: string })

/** The `Authorization` header for a credential. */
export const authorization = (credential: Connection): string =>
  'apiKey' in credential ? `api-key ${credential.apiKey}` : `Bearer ${credential.accessToken}`

/** The address without a slash at its end. */
export const baseOf = ({ url }: Connection): string => url.replace(/\/+$/, '')

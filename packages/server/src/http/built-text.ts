import type { PublicAddresses } from '../lib/public-addresses.ts'

/** Placeholder that the build of the docs writes for the unknown address of the server. */
const builtOrigin = 'http://127.0.0.1:4000'

/** Percent-encoded where it could end a text of the page. */
const safe = (url: string): string => new URL(url).href.replace(/\/$/, '').replaceAll("'", '%27')

/** Text of the build as this server sends it: with its own addresses. */
export const withAddresses = (text: string, { baseUrl, authUrl }: PublicAddresses): string =>
  text.replaceAll(`${builtOrigin}/v1`, () => safe(baseUrl)).replaceAll(builtOrigin, () => safe(authUrl))

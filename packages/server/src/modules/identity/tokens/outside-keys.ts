import { createRemoteJWKSet, customFetch, errors, type FetchImplementation, type JWTVerifyGetKey } from 'jose'

/** Key sets of large providers have a few KiB; nothing that another server sends may fill our memory. */
const keySetBytesMax = 256 * 1024

const none: readonly Uint8Array[] = []

/** Fetches a key set, no longer than the bound. */
const fetchBounded: FetchImplementation = async (url, options) => {
  const response = await fetch(url, options)
  const parts: Uint8Array[] = []
  let bytes = 0
  const body: AsyncIterable<Uint8Array> | null = response.body
  for await (const part of body ?? none) {
    bytes += part.length
    if (bytes > keySetBytesMax)
      throw new errors.JOSEError(`The key set at ${url} is larger than ${keySetBytesMax} bytes`)
    parts.push(part)
  }
  return new Response(Buffer.concat(parts), { status: response.status })
}

/** The keys of an outside identity provider, fetched when a token needs them. */
export const outsideKeys = (jwksUrl: string): JWTVerifyGetKey =>
  createRemoteJWKSet(new URL(jwksUrl), { [customFetch]: fetchBounded })

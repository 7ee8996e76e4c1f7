import type { IncomingMessage } from 'node:http'

/** An encoding in which a body can be compressed. */
export type Encoding = 'br' | 'gzip'

/** The better one first: br makes less of the same text, in less time (docs/decisions/0133). */
const encodings: readonly Encoding[] = ['br', 'gzip']

/**
 * Below this size compression saves nothing: ten packets of a new connection are sent without waiting for
 * its reader (RFC 6928), and 14,600 bytes fit into them.
 */
export const compressedBytesMin = 14_600

/** A document is compressed once for all of its readers, so that already the second packet is worth sparing. */
export const compressedDocumentBytesMin = 1460

type EncodingRequest = Pick<IncomingMessage, 'headers'>

/** Returns the encoding of a response of a size; undefined if it is sent as it is. */
export function encodingFor(
  { headers }: EncodingRequest,
  bytes: number,
  bytesMin: number = compressedBytesMin,
): Encoding | undefined {
  const accepted = headers['accept-encoding']
  if (accepted === undefined || typeof accepted !== 'string' || forbidsTransforming(headers['cache-control']))
    return undefined
  // A short answer is compressed only for a caller that refuses it as it is, and says so by one of these.
  if (bytes < bytesMin && !/identity|\*/i.test(accepted)) return undefined
  const weights = weightsOf(accepted)
  const weightOf = (name: string): number | undefined => weights.get(name) ?? weights.get('*')
  const plain = weightOf('identity')
  if (bytes < bytesMin && plain !== 0) return undefined
  const [best, weight] = encodings
    .map((name) => [name, weightOf(name) ?? 0] as const)
    .reduce((first, next) => (next[1] > first[1] ? next : first))
  // To send it as it is remains right for a caller that takes neither: the answer says what it is.
  return weight === 0 || weight < (weights.get('identity') ?? 0) ? undefined : best
}

/** The tag of what is sent so: each form is other bytes, and has a tag of its own (RFC 9110 §8.8.3). */
export const tagOfForm = (tag: string, encoding: Encoding | undefined): string =>
  encoding === undefined ? tag : `${tag.slice(0, -1)}-${encoding}"`

/** RFC 9111 §5.2.1.6. */
const forbidsTransforming = (cacheControl: string | undefined): boolean =>
  cacheControl !== undefined && /\bno-transform\b/i.test(cacheControl)

/** `gzip;q=0.5, *;q=0` by name (RFC 9110 §12.5.3); what has no readable weight is not wanted. */
function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const part of header.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase())
    const q = parameters.find((one) => one.startsWith('q='))
    const weight = q === undefined ? 1 : Number(q.slice(2))
    if (name !== '') weights.set(name === 'x-gzip' ? 'gzip' : name, weight >= 0 && weight <= 1 ? weight : 0)
  }
  return weights
}

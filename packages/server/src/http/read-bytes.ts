import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { Failure, failure } from '../kernel/errors.ts'
import { hangUpAfter } from './hang-up.ts'

/**
 * A compressed body may unpack to this many times its size. Ten thousand records that differ in two fields reach 40;
 * what is made to be large reaches 1,000.
 */
const unpackedRatioMax = 100

/** A body that unpacks to less is cheap whatever its ratio: a form with one long run of spaces. */
const unpackedFreeBytes = 64 * 1024

const decoders: Readonly<Record<string, () => Transform & { readonly bytesWritten: number }>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** The length that a request declares; 0 where it declares none. */
export const lengthOf = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? 0)

export const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || lengthOf(request) > 0

/** The limit as a text and as `meta`, for a body, a form or a message. */
export const tooLarge = (bytesMax: number, what = 'body'): Failure =>
  failure('payload_too_large', `The ${what} is over ${bytesMax} bytes.`, { meta: { limit_bytes: bytesMax } })

/**
 * Reads a body, and unpacks it as its `Content-Encoding` says. It refuses what is too long as soon as it is known to
 * be: the rest is not waited for, and not unpacked (docs/decisions/0280).
 */
export async function readBytes(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
  what?: string,
): Promise<Buffer> {
  hangUpAfter(request, response)
  const decode = decoderOf(request)
  if (lengthOf(request) > bytesMax) throw tooLarge(bytesMax, what)
  const chunks: Buffer[] = []
  let bytes = 0
  const add = (chunk: Buffer): void => {
    bytes += chunk.length
    if (bytes > bytesMax) throw tooLarge(bytesMax, what)
    chunks.push(chunk)
  }
  if (decode === undefined) await each(request, add)
  else await unpack(request, decode(), add, bytesMax)
  return Buffer.concat(chunks, bytes)
}

function decoderOf({ headers }: IncomingMessage): (typeof decoders)[string] | undefined {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return undefined
  if (Object.hasOwn(decoders, encoding)) return decoders[encoding]
  throw failure('unsupported_media_type', 'The body must be plain, or compressed with gzip, deflate or br.', {
    source: { header: 'Content-Encoding' },
  })
}

const bytesOf = (stream: AsyncIterable<unknown>): AsyncIterable<Buffer> => stream as AsyncIterable<Buffer>

/** A request that is destroyed would take its response with it. */
async function each(request: IncomingMessage, add: (chunk: Buffer) => void): Promise<void> {
  try {
    for await (const chunk of bytesOf(request.iterator({ destroyOnReturn: false }))) add(chunk)
  } catch (error) {
    throw error instanceof Failure ? error : cutShort()
  }
}

async function unpack(
  request: IncomingMessage,
  decoder: ReturnType<(typeof decoders)[string]>,
  add: (chunk: Buffer) => void,
  bytesMax: number,
): Promise<void> {
  const stop = (): void => void (request.readableEnded || decoder.destroy(cutShort()))
  // One that was broken off while its caller was looked up says so no more, and would be waited for without end.
  if (request.destroyed) throw cutShort()
  request.once('close', stop)
  request.pipe(decoder)
  let bytes = 0
  try {
    for await (const chunk of bytesOf(decoder)) {
      bytes += chunk.length
      add(chunk)
      if (bytes > Math.max(unpackedFreeBytes, decoder.bytesWritten * unpackedRatioMax)) throw tooDense(bytesMax)
    }
  } catch (error) {
    throw error instanceof Failure ? error : notPacked()
  } finally {
    request.off('close', stop)
    request.unpipe(decoder)
    decoder.destroy()
  }
}

const cutShort = (): Failure => failure('malformed_json', 'The body did not arrive completely.')

const notPacked = (): Failure =>
  failure('malformed_json', 'The body cannot be decompressed according to its Content-Encoding.', {
    source: { header: 'Content-Encoding' },
  })

const tooDense = (bytesMax: number): Failure =>
  failure('payload_too_large', `The body unpacks to more than ${unpackedRatioMax} times its size: send it plain.`, {
    source: { header: 'Content-Encoding' },
    meta: { limit_bytes: bytesMax },
  })

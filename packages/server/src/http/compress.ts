import type { ServerResponse } from 'node:http'
import { pipeline, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { Encoding } from './accept-encoding.ts'

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

/** For answers that are sent once: the least work, and a window of 256 KiB, so that many at once need little memory. */
const swift = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 } },
  gzip: { level: 1 },
}

/** For documents that are compressed once and sent often. More would take seconds of a start for 3% less. */
const thorough = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } },
  gzip: { level: 6 },
}

/** The whole of an answer, in a thread beside the event loop. */
export const compress = (encoding: Encoding, text: string): Promise<Buffer> =>
  encoding === 'br' ? toBrotli(text, swift.br) : toGzip(text, swift.gzip)

/** A document that is kept. */
export const compressDocument = (encoding: Encoding, bytes: Buffer): Promise<Buffer> =>
  encoding === 'br' ? toBrotli(bytes, thorough.br) : toGzip(bytes, thorough.gzip)

/** Returns a stream that sends each piece compressed as soon as it is written, so that readers need not wait. */
export function compressorOf(encoding: Encoding, response: ServerResponse): Transform {
  const compressor =
    encoding === 'br'
      ? createBrotliCompress({ ...swift.br, flush: constants.BROTLI_OPERATION_FLUSH })
      : createGzip({ ...swift.gzip, flush: constants.Z_SYNC_FLUSH })
  // Either ends with the other; who writes looks at the response.
  pipeline(compressor, response, () => undefined)
  return compressor
}

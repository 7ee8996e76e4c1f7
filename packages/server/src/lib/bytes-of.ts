import type { Readable } from 'node:stream'

/** The chunks of a stream of bytes, which Node declares as chunks of anything. */
export const bytesOf = (stream: Readable): AsyncIterable<Buffer> => stream

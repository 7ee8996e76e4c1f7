import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { withHeader, type Quirk } from './quirk.ts'
import type { Random } from '../harness/random.ts'

/** Bytes that are no UTF-8, at some place of a body. */
const brokenBytes = [
  [0xff],
  [0xc0, 0x80],
  [0xe0, 0x80, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
  [0xc3],
  [0x00],
  [0xef, 0xbb, 0xbf],
  [0x80],
]

const spliced = (body: Buffer, random: Random, bytes: readonly number[]): Buffer => {
  const at = random.below(body.length + 1)
  return Buffer.concat([body.subarray(0, at), Buffer.from(bytes), body.subarray(at)])
}

const chunk = (part: Buffer): Buffer =>
  part.length === 0
    ? Buffer.alloc(0)
    : Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])

const chunked = (body: Buffer, random: Random): Buffer => {
  const half = random.below(body.length + 1)
  return Buffer.concat([chunk(body.subarray(0, half)), chunk(body.subarray(half)), Buffer.from('0\r\n\r\n')])
}

/** The oddities of a body, or of what the headers say of it. */
export const bodyQuirks: readonly Quirk[] = [
  (request, random) => ({
    ...request,
    body: spliced(request.body ?? Buffer.from('{}'), random, random.pick(brokenBytes)),
  }),
  (request, random) => ({
    ...request,
    body: (request.body ?? Buffer.from('{}')).subarray(0, random.below((request.body?.length ?? 2) + 1)),
  }),
  (request) => ({ ...request, body: Buffer.concat([request.body ?? Buffer.alloc(0), Buffer.from('}')]) }),
  (request) => ({ ...request, body: Buffer.concat([Buffer.from('\uFEFF'), request.body ?? Buffer.from('{}')]) }),
  (request) => ({ ...request, body: Buffer.from(request.body?.toString() ?? '{}', 'utf16le') }),
  (request) => ({ ...request, body: Buffer.alloc(0) }),
  (request, random) => ({ ...request, body: Buffer.from(Array.from({ length: 40 }, () => random.below(256))) }),
  (request, random) =>
    withHeader({ ...request, body: chunked(request.body ?? Buffer.from('{}'), random) }, [
      'Transfer-Encoding',
      'chunked',
    ]),
  (request) => withHeader({ ...request, body: gzipSync(request.body ?? '{}') }, ['Content-Encoding', 'gzip']),
  (request) => withHeader({ ...request, body: deflateSync(request.body ?? '{}') }, ['Content-Encoding', 'deflate']),
  (request) => withHeader({ ...request, body: brotliCompressSync(request.body ?? '{}') }, ['Content-Encoding', 'br']),
  (request) =>
    withHeader({ ...request, body: gzipSync(request.body ?? '{}').subarray(0, 15) }, ['Content-Encoding', 'gzip']),
  (request, random) =>
    withHeader(request, [
      'Content-Encoding',
      random.pick(['gzip', 'br', 'deflate', 'identity', 'zstd', 'compress', 'gzip, gzip', '', '__proto__', 'nonsense']),
    ]),
  (request) =>
    withHeader({ ...request, body: gzipSync(Buffer.alloc(2 * 1024 * 1024, ' ')) }, ['Content-Encoding', 'gzip']),
]

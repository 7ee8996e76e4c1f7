import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { bodyBytesMax } from '@kontor/contract'
import { Failure, failure } from '../kernel/errors.ts'
import { markInexact } from '../kernel/parse/parse.ts'
import type { Admission } from './admission.ts'
import { readFormOrJson } from './form.ts'
import { readLargeJson } from './large-json.ts'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

type BodySize = keyof typeof bodyBytesMax

/** The body that a request may have, and whether its sender has shown a credential. */
type Expected = {
  readonly size: BodySize
  readonly takesForms?: boolean | undefined
  /** Nobody has shown a credential for it: it gets a place of its own, and little time. */
  readonly isAnonymous?: boolean
}

/**
 * Reads a JSON body, and a form where it may be one; undefined where there is none. Throws `overloaded` where there is
 * no room for it.
 */
export type ReadBody = (request: IncomingMessage, response: ServerResponse, expected: Expected) => Promise<unknown>

const jsonType = /^\s*application\/json\s*(;|$)/i
const anyJsonType = /^\s*application\/([\w.-]+\+)?json\s*(;|$)/i
const formType = /^\s*application\/x-www-form-urlencoded\s*(;|$)/i

export const bodyReader =
  (admission: Admission): ReadBody =>
  async (request, response, { size, takesForms = false, isAnonymous = false }) => {
    if (!hasBody(request)) return undefined
    const type = request.headers['content-type'] ?? ''
    const isForm = takesForms && formType.test(type)
    if (!isForm && !(takesForms ? anyJsonType : jsonType).test(type)) throw unsupportedType(takesForms)
    if (isAnonymous) admission.isAnonymous(response)
    admission.hold(response, bodyBytesOf(request, size))
    const text = textOf(await readBytes(request, response, bodyBytesMax[size]), type)
    // Programs that were not made for us cannot send their numbers in another form, so these are kept as texts.
    return isForm ? readFormOrJson(text) : jsonOf(text, takesForms ? JSON.stringify : markInexact)
  }

/** The body of a request that has none counts as an empty object. */
async function jsonOf(text: string, instead: (numeral: string) => string): Promise<unknown> {
  try {
    return text === '' ? {} : await readLargeJson(text, instead)
  } catch (error) {
    if (error instanceof Failure) throw error
    throw failure(
      'malformed_json',
      `The body is not valid JSON: ${error instanceof Error ? error.message.slice(0, 200) : ''}`,
    )
  }
}

const unsupportedType = (takesForms: boolean): Failure =>
  failure(
    'unsupported_media_type',
    `Send the body as "Content-Type: application/json"${takesForms ? ', another type of JSON, or a form' : ''}.`,
    { source: { header: 'Content-Type' } },
  )

/** Decodes a body; refuses invalid bytes, which would be stored as replacement characters. */
function textOf(bytes: Buffer, type: string): string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw failure('unsupported_media_type', 'The body must be UTF-8.', { source: { header: 'Content-Type' } })
  if (!isUtf8(bytes)) throw failure('malformed_json', 'The body is not UTF-8.')
  return bytes.toString().replace(/^\uFEFF/, '')
}

/** `{}` with some space around it. */
const emptyBodyBytesMax = 64
const emptyBody = /^\s*(?:\{\s*\})?\s*$/

/**
 * Refuses the body of an operation that takes none, since it would be ignored; an empty one, or `{}`, says nothing. Of
 * any other the beginning is read.
 */
export async function refuseBody(request: IncomingMessage): Promise<void> {
  if (!hasBody(request)) return
  let text = ''
  // A stream that is destroyed would take the answer with it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    text += Buffer.isBuffer(chunk) ? chunk.toString('latin1') : ''
    if (text.length > emptyBodyBytesMax) break
  }
  request.resume()
  if (text.length > emptyBodyBytesMax || !emptyBody.test(text))
    throw failure('invalid_body', 'This operation accepts no body: send none, or {}.', { source: { pointer: '' } })
}

/** Returns the bytes that a body may take: the maximum if its length is unknown, or grows when it is unpacked. */
function bodyBytesOf(request: IncomingMessage, size: BodySize): number {
  const { headers } = request
  if (lengthOf(request) > bodyBytesMax[size]) throw tooLarge(bodyBytesMax[size])
  return headers['transfer-encoding'] === undefined && headers['content-encoding'] === undefined
    ? lengthOf(request)
    : bodyBytesMax[size]
}

/** The time for which a client that sends too much may go on, so that it reads why it was refused. */
const lingerMs = 5000

/** Ends a request that was answered before it has arrived; what arrives until then is discarded. */
function hangUp(request: IncomingMessage): void {
  if (request.complete) return
  request.resume()
  const timer = setTimeout(() => request.destroy(), lingerMs)
  request.once('close', () => clearTimeout(timer))
}

/** Does so once a response has been sent, however it turns out. */
export const hangUpAfter = (request: IncomingMessage, response: ServerResponse): unknown =>
  response.once('finish', () => hangUp(request))

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
const lengthOf = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? 0)

export const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || lengthOf(request) > 0

/** The limit as a text and as `meta`, for a body, a form or a message. */
const tooLarge = (bytesMax: number, what = 'body'): Failure =>
  failure('payload_too_large', `The ${what} is over ${bytesMax} bytes.`, { meta: { limit_bytes: bytesMax } })

/**
 * Reads a body, and unpacks it as its `Content-Encoding` says. It refuses what is too long as soon as it is known to
 * be: the rest is not waited for, and not unpacked (docs/decisions/0048).
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
  throw failure('unsupported_media_type', 'The body must be uncompressed, or compressed with gzip, deflate or br.', {
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
  failure(
    'payload_too_large',
    `The body is more than ${unpackedRatioMax} times its size when it is unpacked: send it uncompressed.`,
    {
      source: { header: 'Content-Encoding' },
      meta: { limit_bytes: bytesMax },
    },
  )

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { bodyBytesMax } from '@kontor/contract'
import { Failure, failure } from '../kernel/errors.ts'
import { markInexact } from '../kernel/parse/storable.ts'
import type { Admission } from './admission.ts'
import { readFormOrJson } from './form.ts'
import { readLargeJson } from './large-json.ts'
import { hasBody, lengthOf, readBytes, tooLarge } from './read-bytes.ts'

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
    // What comes from programs that were not made for us cannot be sent otherwise: their numbers are kept as texts.
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
    throw failure('invalid_body', 'This operation takes no body: send none, or {}.', { source: { pointer: '' } })
}

/** How much a body may take. Where it does not say, or will grow when it is unpacked, that is all that it may be. */
function bodyBytesOf(request: IncomingMessage, size: BodySize): number {
  const { headers } = request
  if (lengthOf(request) > bodyBytesMax[size]) throw tooLarge(bodyBytesMax[size])
  return headers['transfer-encoding'] === undefined && headers['content-encoding'] === undefined
    ? lengthOf(request)
    : bodyBytesMax[size]
}

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import express from 'express'
import { bodyBytesMax, readJson } from '@kontor/contract'
import { isString, memberOf } from '../lib/guards.ts'
import { failure, type Failure } from '../kernel/errors.ts'
import { markInexact } from '../kernel/parse/storable.ts'
import type { Admission } from './admission.ts'
import { readForm } from './form.ts'

type BodySize = keyof typeof bodyBytesMax

/**
 * Reads a JSON body, and a form where it may be one; undefined where there is none. Throws `overloaded` where there is
 * no room for it.
 */
export type ReadBody = (
  request: IncomingMessage,
  response: ServerResponse,
  size: BodySize,
  takesForms?: boolean,
) => Promise<unknown>

type Parser = ReturnType<typeof express.json>

// The type of the body is checked before.
const optionsOf = (size: BodySize) => ({ limit: bodyBytesMax[size], type: () => true, verify: requireUtf8 })

const parserOf = (size: BodySize): Parser => express.text(optionsOf(size))

const parsers: Readonly<Record<BodySize, Parser>> = { normal: parserOf('normal'), bulk: parserOf('bulk') }

const jsonType = /^\s*application\/json\s*(;|$)/i
const anyJsonType = /^\s*application\/([\w.-]+\+)?json\s*(;|$)/i
const formType = /^\s*application\/x-www-form-urlencoded\s*(;|$)/i

export const bodyReader =
  (admission: Admission): ReadBody =>
  async (request, response, size, takesForms = false) => {
    if (!hasBody(request)) return undefined
    const type = request.headers['content-type'] ?? ''
    const isForm = takesForms && formType.test(type)
    if (!isForm && !(takesForms ? anyJsonType : jsonType).test(type)) throw unsupportedType(takesForms)
    admission.hold(response, bodyBytesOf(request, size))
    const text = await textOf(parsers[size], request, response, size)
    // What comes from programs that were not made for us cannot be sent otherwise: their numbers are kept as texts.
    return isForm ? readForm(text) : jsonOf(text, takesForms ? JSON.stringify : markInexact)
  }

/** The body of a request that has none counts as an empty object. */
function jsonOf(text: string, instead: (numeral: string) => string): unknown {
  try {
    return text === '' ? {} : readJson(text, instead)
  } catch (error) {
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

async function textOf(
  parser: Parser,
  request: IncomingMessage,
  response: ServerResponse,
  size: BodySize,
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    // Express' parsers need nothing of Express in what they are given.
    parser(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(bodyFailure(error, size))))
  })
  return 'body' in request && isString(request.body) ? request.body : ''
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

const lengthOf = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? 0)

const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || lengthOf(request) > 0

/** How much a body may take. Where it does not say, or will grow when it is unpacked, that is all that it may be. */
function bodyBytesOf(request: IncomingMessage, size: BodySize): number {
  const { headers } = request
  if (lengthOf(request) > bodyBytesMax[size]) throw tooLarge(size)
  return headers['transfer-encoding'] === undefined && headers['content-encoding'] === undefined
    ? lengthOf(request)
    : bodyBytesMax[size]
}

const tooLarge = (size: BodySize): Failure =>
  failure('payload_too_large', `The body is over ${bodyBytesMax[size]} bytes.`, {
    meta: { limit_bytes: bodyBytesMax[size] },
  })

/** What decodes with replacement characters would be stored with them. Throws as the parser does, with a `type`. */
function requireUtf8(_request: IncomingMessage, _response: ServerResponse, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw Object.assign(new Error(`the charset ${charset}`), { type: 'charset.unsupported' })
  if (!isUtf8(body)) throw Object.assign(new Error('not UTF-8'), { type: notUtf8 })
}

const notUtf8 = 'entity.not.utf8'

/** The errors of Express' own parser, by their documented `type`. */
function bodyFailure(error: unknown, size: BodySize): Error {
  switch (memberOf(error, 'type')) {
    case 'entity.too.large':
      return tooLarge(size)
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return failure(
        'unsupported_media_type',
        'The body must be UTF-8 JSON, plain or compressed with gzip, deflate or br.',
      )
    case notUtf8:
      return failure('malformed_json', 'The body is not UTF-8.')
    case undefined:
      if (memberOf(error, 'status') === 400)
        return failure('malformed_json', 'The body cannot be unpacked as its Content-Encoding says.', {
          source: { header: 'Content-Encoding' },
        })
      return error instanceof Error ? error : new Error('The body could not be read', { cause: error })
    default:
      return failure('malformed_json', 'The body did not arrive whole.')
  }
}

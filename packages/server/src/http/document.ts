import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { matchesTag } from '../kernel/preconditions.ts'
import { once } from '../lib/promises.ts'
import { compressedDocumentBytesMin, encodingFor, tagOfForm } from './accept-encoding.ts'
import { compressDocument } from './compress.ts'

/** Sends a document, or 304 to a reader that has it. */
export type SendDocument = (
  request: IncomingMessage,
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
) => Promise<void>

/**
 * A document that is the same for every reader. It is compressed when it is first asked for so, and kept; each form has
 * a tag of its own.
 */
export function documentOf(bytes: Buffer, type: string): SendDocument {
  const digest = hash('sha256', bytes, 'base64url')
  const compressed = {
    br: once(() => compressDocument('br', bytes)),
    gzip: once(() => compressDocument('gzip', bytes)),
  }
  return async (request, response, given) => {
    const encoding = encodingFor(request, bytes.length, compressedDocumentBytesMin)
    const etag = tagOfForm(`"${digest}"`, encoding)
    const headers = { ...given, ETag: etag, 'Cache-Control': 'no-cache' }
    response.appendHeader('Vary', 'Accept-Encoding')
    if (matchesTag(request.headers['if-none-match'], etag)) {
      response.writeHead(304, headers).end()
      return
    }
    const body = encoding === undefined ? bytes : await compressed[encoding]()
    response.writeHead(200, {
      ...headers,
      'Content-Type': type,
      'Content-Length': body.length,
      ...(encoding !== undefined && { 'Content-Encoding': encoding }),
    })
    response.end(body)
  }
}

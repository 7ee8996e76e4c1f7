import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import { Failure, failure } from '../kernel/errors.ts'
import { handled } from '../lib/promises.ts'

/** Bytes for fields and boundaries beside the file. */
export const formBytesMax = 65_536

const limits = { files: 1, fields: 50, parts: 51, fieldSize: formBytesMax, headerPairs: 100 }

/**
 * Reads a form of fields and a file, and hands on the bytes of the file while they arrive. The fields are those that
 * the client was given: the URL says all that they say, so they are let go.
 */
export async function receiveForm(
  request: IncomingMessage,
  receive: (bytes: Readable, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const form = openForm(request)
  const stopping = new AbortController()
  const failed = Promise.withResolvers<never>()
  void handled(failed.promise)
  let received: Promise<void> | undefined
  form.on('file', (_field, bytes) => {
    // It fails once more when the form breaks off, after its reader has heard so.
    bytes.on('error', () => undefined)
    received = handled(receive(bytes, stopping.signal))
    received.catch(failed.reject)
  })
  try {
    await Promise.race([pipeline(request, form), failed.promise])
  } catch (error) {
    stopping.abort()
    await received?.catch(() => undefined)
    request.unpipe(form)
    request.resume()
    // Either the bytes were refused, or what arrived is no form.
    throw error instanceof Failure ? error : malformed('The form did not arrive completely.')
  }
  if (received === undefined) throw malformed('The form contains no file.')
  await received
}

const malformed = (detail: string) => failure('invalid_body', detail)

function openForm({ headers }: IncomingMessage): InstanceType<typeof Busboy> {
  const { 'content-type': type } = headers
  if (type === undefined || !/^multipart\/form-data\b/i.test(type))
    throw failure('unsupported_media_type', 'Send a form as multipart/form-data, with the file last.', {
      source: { header: 'Content-Type' },
    })
  try {
    return new Busboy({ headers: { ...headers, 'content-type': type } satisfies BusboyHeaders, limits })
  } catch {
    throw malformed('The form has no boundary.')
  }
}

import { create } from 'content-disposition'
import { isUtf8 } from 'node:buffer'
import { lookup } from 'mime-types'
import { headBytes, type Shown } from './storage.ts'

const unknownType = 'application/octet-stream'

const textualTypes = /^(application\/(json|xml|sql|yaml|javascript)|message\/rfc822|image\/svg\+xml)$/

/** Types of text, which no signature tells apart. */
const isTextual = (type: string): boolean => type.startsWith('text/') || textualTypes.test(type)

/** The type of a file by its first bytes; by its name only where they are text. */
export async function mediaTypeOf(head: Uint8Array, name: string): Promise<string> {
  // Loaded with the first file that is read.
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(head)
  const said = lookup(name) || 'text/plain'
  // XML is the one kind of text that has a signature.
  if (found !== undefined && found.mime !== 'application/xml') return found.mime
  if (!isText(head)) return unknownType
  return isTextual(said) ? said : 'text/plain'
}

/** A character may be cut off at the end of what was read. */
const isText = (head: Uint8Array): boolean =>
  head.length > 0 &&
  !head.includes(0) &&
  [0, 1, 2, 3].some((cut) => (cut === 0 || head.length === headBytes) && isUtf8(head.subarray(0, head.length - cut)))

/** Media types that browsers display, and cannot run. */
const harmless = /^(image\/(png|jpeg|gif|webp|avif|bmp)|(audio|video)\/[\w.+-]+|application\/pdf|text\/plain)$/

/** Characters that are unsafe in the name of a download: paths, reserved characters, hidden directions. */
const hostile = /[\\/:*?"<>|\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** The headers with which a file is given out. HTML, SVG and what else may run in a browser are for saving only. */
export function headersOf({ name, mimeType }: Shown): { contentType: string; disposition: string } {
  const isHarmless = mimeType !== null && harmless.test(mimeType)
  const safeName = name.replaceAll(hostile, '_').replace(/^\.+/, '_').toWellFormed()
  return {
    contentType: isHarmless ? withCharset(mimeType) : unknownType,
    disposition: create(safeName, { type: isHarmless ? 'inline' : 'attachment' }),
  }
}

const withCharset = (type: string): string => (type === 'text/plain' ? `${type}; charset=utf-8` : type)

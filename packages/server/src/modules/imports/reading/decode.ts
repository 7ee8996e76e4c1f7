import { isUtf8 } from 'node:buffer'
import type { ImportEncoding } from '@kontor/contract'
import { FileFault } from './file-fault.ts'

const marks: readonly (readonly [ImportEncoding, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/** The encoding of a file, and the bytes of the mark that it begins with. */
type Detected = { readonly encoding: ImportEncoding; readonly markBytes: number }

/** Finds the encoding by the mark at the beginning, or by what the bytes can be. */
export function detectEncoding(bytes: Buffer, requested: ImportEncoding | undefined): Detected {
  const marked = marks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))
  if (marked !== undefined && (requested ?? marked[0]) === marked[0])
    return { encoding: marked[0], markBytes: marked[1].length }
  return { encoding: requested ?? guess(bytes), markBytes: 0 }
}

/** Latin letters in UTF-16 have a zero in every second byte. */
function guess(bytes: Buffer): ImportEncoding {
  const head = bytes.subarray(0, 1000)
  const zeros = [0, 0]
  head.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  })
  const [even = 0, odd = 0] = zeros
  if (even + odd > head.length / 4) return odd > even ? 'utf-16le' : 'utf-16be'
  return isUtf8(wholeCharacters(bytes)) ? 'utf-8' : 'windows-1252'
}

/** The bytes without a character of UTF-8 that is cut off at the end. */
function wholeCharacters(bytes: Buffer): Buffer {
  let end = bytes.length
  while (end > 0 && bytes.length - end < 3 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--
  return end > 0 && (bytes[end - 1] ?? 0) >= 0xc0 ? bytes.subarray(0, end - 1) : bytes
}

/** Decodes strictly, without a character that is cut off at the end of a part. */
export function decode(bytes: Buffer, encoding: ImportEncoding, isLast: boolean): string {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !isLast })
  } catch {
    throw new FileFault(
      `The file is not ${encoding}. Save it as UTF-8, or send its encoding: "encoding": "windows-1252".`,
    )
  }
}

/** Bytes of a text in an encoding. */
export function bytesIn(text: string, encoding: ImportEncoding): number {
  if (encoding === 'utf-8') return Buffer.byteLength(text)
  return encoding === 'windows-1252' ? text.length : 2 * text.length
}

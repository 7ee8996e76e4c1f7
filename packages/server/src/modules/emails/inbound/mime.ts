import { TextDecoder } from 'node:util'

/** Longest header that is read; of that of a part the rest is left out. */
export const headerBytesMax = 1024 * 1024

/** Most bytes of a part that are decoded: quoted-printable writes up to three for one. */
const encodedBytesMax = 192 * 1024

/** Longest `Content-Type` that is read, in characters. */
const contentTypeMax = 2000

/** Most parts of one multipart that are read, and most lines that only look like its boundary. */
const partsMax = 100
const candidatesMax = 10_000

/** The fields of a header by their names in lower case, in their order; continued lines are joined. */
export type Header = ReadonlyMap<string, readonly string[]>

/** A message, or a part of one (RFC 2045). */
export type Entity = {
  readonly header: Header
  /** In lower case, such as `multipart/report`. */
  readonly type: string
  /** The parameters of its type by their names in lower case. */
  readonly parameters: ReadonlyMap<string, string>
  /** As it came, still encoded. */
  readonly body: Buffer
}

/** Returns the fields of a header. Malformed lines are left out. */
export function fieldsOf(block: string): Header {
  const fields = new Map<string, string[]>()
  for (const line of block.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon < 1) continue
    const name = line.slice(0, colon).trim().toLowerCase()
    const value = line.slice(colon + 1).trim()
    const before = fields.get(name)
    if (before === undefined) fields.set(name, [value])
    else before.push(value)
  }
  return fields
}

/** Reads a message or a part, without decoding its body. */
export function readEntity(raw: Buffer): Entity {
  const [end, start] = headerEnd(raw)
  const header = fieldsOf(raw.subarray(0, Math.min(end, headerBytesMax)).toString())
  const [type = '', ...parameters] = splitParameters(header.get('content-type')?.[0] ?? '')
  return {
    header,
    // A comment may be anywhere in it (RFC 2045 §5.1).
    type:
      type
        .replaceAll(/\([^)]*\)/g, '')
        .trim()
        .toLowerCase() || 'text/plain',
    parameters: new Map(parameters.map(parameterOf)),
    body: raw.subarray(start),
  }
}

/** Where the header ends, and where the body begins. */
function headerEnd(raw: Buffer): readonly [number, number] {
  if (raw[0] === lineFeed) return [0, 1]
  if (raw.indexOf('\r\n') === 0) return [0, 2]
  const ends = ['\n\r\n', '\n\n']
    .map((mark) => [raw.indexOf(mark), mark.length] as const)
    .filter(([at]) => at !== -1)
    .toSorted(([a], [b]) => a - b)
  const [at, length] = ends[0] ?? [raw.length, 0]
  return [at, at + length]
}

const lineFeed = 0x0a

/** Splits a structured value at its semicolons, those within quotes excepted. */
function splitParameters(value: string): string[] {
  const pieces = ['']
  let isQuoted = false
  for (const character of value.slice(0, contentTypeMax)) {
    if (character === '"') isQuoted = !isQuoted
    if (character === ';' && !isQuoted) pieces.push('')
    else pieces[pieces.length - 1] += character
  }
  return pieces
}

function parameterOf(piece: string): [string, string] {
  const equals = piece.indexOf('=')
  const value = piece.slice(equals + 1).trim()
  const bare = value.startsWith('"') ? value.slice(1, value.endsWith('"') ? -1 : undefined) : value
  return [piece.slice(0, Math.max(0, equals)).trim().toLowerCase(), bare]
}

/** Reads the parts of a multipart; an entity of another type has none. */
export function partsOf({ type, parameters, body }: Entity): Entity[] {
  const boundary = parameters.get('boundary') ?? ''
  if (!type.startsWith('multipart/') || boundary === '') return []
  const mark = Buffer.from(`--${boundary}`)
  const parts: Entity[] = []
  let start: number | undefined
  let at = body.indexOf(mark) === 0 ? 0 : nextMark(body, mark, 0)
  for (let candidates = 0; at !== -1 && parts.length < partsMax && candidates < candidatesMax; candidates++) {
    const after = at + mark.length
    if (isLineEnd(body, after)) {
      if (start !== undefined) parts.push(readEntity(body.subarray(start, at)))
      if (isClosing(body, after)) return parts
      start = body.indexOf(lineFeed, after) + 1 || body.length
    }
    at = nextMark(body, mark, after)
  }
  // The end of a message that was cut off belongs to its last part.
  if (start !== undefined && parts.length < partsMax) parts.push(readEntity(body.subarray(start)))
  return parts
}

/** Where the next line begins that starts with a mark; -1 if there is none. */
function nextMark(body: Buffer, mark: Buffer, from: number): number {
  const at = body.indexOf(Buffer.concat([Buffer.from('\n'), mark]), from)
  return at === -1 ? -1 : at + 1
}

const isClosing = (body: Buffer, at: number): boolean => body.toString('latin1', at, at + 2) === '--'

/** Returns whether a boundary ends here: another one may begin with the same characters. */
const isLineEnd = (body: Buffer, at: number): boolean =>
  at >= body.length || isClosing(body, at) || /^[ \t\r\n]/.test(body.toString('latin1', at, at + 1))

/** Decodes the beginning of a part, as text of at most so many bytes. */
export function textOf({ header, parameters, body }: Entity, bytesMax: number): string {
  const encoding = header.get('content-transfer-encoding')?.[0]?.toLowerCase() ?? ''
  const encoded = body.subarray(0, encodedBytesMax)
  const decoded =
    encoding === 'base64'
      ? Buffer.from(encoded.toString('latin1'), 'base64')
      : encoding === 'quoted-printable'
        ? fromQuotedPrintable(encoded.toString('latin1'))
        : encoded
  return decoderOf(parameters.get('charset')).decode(decoded.subarray(0, bytesMax))
}

const fromQuotedPrintable = (text: string): Buffer =>
  Buffer.from(
    text
      .replaceAll(/=[ \t]?\r?\n/g, '')
      .replaceAll(/=([\da-f]{2})/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16))),
    'latin1',
  )

function decoderOf(charset = 'utf-8'): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

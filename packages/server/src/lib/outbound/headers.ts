import { validateHeaderName, validateHeaderValue } from 'node:http'

/** Headers that belong to the connection, or that would send the request elsewhere (RFC 9110 §7.6.1). */
const reserved = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Servers commonly refuse more than this. */
const headersMax = 50
const headerBytesMax = 8192

/** Returns the fault of a header from a user; undefined if it has none. */
function headerFault(name: string, value: string): string | undefined {
  if (throws(() => validateHeaderName(name)))
    return `"${name}" is not a valid header name: use letters, digits and hyphens.`
  if (throws(() => validateHeaderValue(name, value)))
    return `The value of the header "${name}" contains characters that headers cannot contain: encode them.`
  const lower = name.toLowerCase()
  if (reserved.has(lower) || lower.startsWith('proxy-')) return `The header "${name}" is set by the connection.`
  return undefined
}

function throws(check: () => void): boolean {
  try {
    check()
    return false
  } catch {
    return true
  }
}

/** Returns the first fault of the headers of a request; undefined if they have none. */
export function headersFault(headers: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(headers)
  if (entries.length > headersMax) return `At most ${headersMax} headers are sent.`
  if (entries.join('').length > headerBytesMax) return `Headers can have at most ${headerBytesMax} bytes in total.`
  return entries.map(([name, value]) => headerFault(name, value)).find((fault) => fault !== undefined)
}

import { isUtf8 } from 'node:buffer'
import type { CardProperty } from './properties.ts'

/** Returns the value of a property as text: decoded, and without escapes. */
export const textOf = (property: CardProperty): string => unescapedText(decodedOf(property)).trim()

/** Returns the parts of a structured value, such as a name or an address. */
export const partsOf = (property: CardProperty): string[] =>
  splitUnescaped(decodedOf(property), ';').map((part) => unescapedText(part).trim())

/** Returns the items of a list, such as categories. */
export const itemsOf = (property: CardProperty): string[] =>
  splitUnescaped(decodedOf(property), ',')
    .map((item) => unescapedText(item).trim())
    .filter((item) => item !== '')

/** Decodes what version 2.1 encodes; an unknown character set is read as that of Windows. */
function decodedOf({ parameters, value }: CardProperty): string {
  const encodings = [...(parameters.get('ENCODING') ?? []), ...(parameters.get('TYPE') ?? [])]
  if (!encodings.some((one) => one.toLowerCase() === 'quoted-printable')) return value
  const bytes = Buffer.from(
    value.replaceAll(/=([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  )
  const [charset = isUtf8(bytes) ? 'utf-8' : 'windows-1252'] = parameters.get('CHARSET') ?? []
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const unescapedText = (text: string): string =>
  text.replaceAll(/\\([\s\S])/g, (_, character: string) => (/n/i.test(character) ? '\n' : character))

function splitUnescaped(text: string, separator: string): string[] {
  const parts = ['']
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '\\') parts[parts.length - 1] += character + (text[++at] ?? '')
    else if (character === separator) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}

/** Returns a date as ISO 8601 writes it; a birthday without a year is none. */
export function dateOf(property: CardProperty): string {
  const [, year, month, day] = /^(\d{4})-?(\d{2})-?(\d{2})(?:T.*)?$/.exec(textOf(property)) ?? []
  return day === undefined ? '' : `${year}-${month}-${day}`
}

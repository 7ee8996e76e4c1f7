/** Longest address (RFC 5321 §4.5.3.1, with room). */
const addressMax = 320

const isAddress = (text: string): boolean => {
  const at = text.lastIndexOf('@')
  return at > 0 && at < text.length - 1 && text.length <= addressMax
}

/** Finds what looks like an address, in lower case, in the order of the text. */
export const addressesIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s<>,;:"()]+/)
    .filter(isAddress)

/** Removes quoted strings and comments (RFC 5322 §3.2), in which anyone may write anything. */
function withoutNotes(text: string): string {
  let left = ''
  let isQuoted = false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '\\') at++
    else if (isQuoted) isQuoted = character !== '"'
    else if (character === '(') depth++
    else if (depth > 0) depth -= character === ')' ? 1 : 0
    else if (character === '"') isQuoted = true
    else left += character
  }
  return left
}

/** Returns the first address of a header such as `From`, in lower case. */
export function firstAddressIn(text: string): string | undefined {
  const bare = withoutNotes(text)
  const open = bare.indexOf('<')
  return addressesIn(open === -1 ? bare : bare.slice(open))[0]
}

/**
 * Reads a typed address of a report, such as `rfc822; grace@example.com`, in lower case; undefined if it is no address
 * of e-mail. In an ASCII report, `utf-8` addresses spell other characters as `\x{E9}` (RFC 6533 §3).
 */
export function typedAddressIn(field: string | undefined): string | undefined {
  const [type = '', ...rest] = (field ?? '').split(';')
  const text = (rest.length === 0 ? type : rest.join(';')).trim().slice(0, 4 * addressMax)
  const bare = text.startsWith('<') && text.endsWith('>') ? text.slice(1, -1) : text
  const spelled =
    type.trim().toLowerCase() === 'utf-8' ? bare.replaceAll(/\\x\{([\da-f]{1,6})\}/gi, spelledCharacter) : bare
  return isAddress(spelled) && !/[\s<>;]/.test(spelled) ? spelled.toLowerCase() : undefined
}

function spelledCharacter(all: string, hex: string): string {
  const point = Number.parseInt(hex, 16)
  return point <= 0x10_ff_ff ? String.fromCodePoint(point) : all
}

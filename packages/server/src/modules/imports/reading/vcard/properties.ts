/** A property of a card, its value as it is written. */
export type CardProperty = {
  readonly name: string
  /** Parameters by their names; those without a name, as in version 2.1, are types. */
  readonly parameters: ReadonlyMap<string, readonly string[]>
  readonly value: string
}

/** Properties of pictures, sounds and keys: they are not imported, and long. */
export const binary: ReadonlySet<string> = new Set(['PHOTO', 'LOGO', 'SOUND', 'KEY'])

const parameterEnd = /(?:"[^"]*"|[^":])*:/y

/** Reads the properties of a card. Lines that are none are ignored, and so is the card of an agent inside. */
export function readProperties(lines: readonly string[]): CardProperty[] {
  const properties: CardProperty[] = []
  let depth = 0
  for (const line of logicalLines(lines)) {
    const property = readProperty(line)
    if (property === undefined) continue
    if (property.name === 'BEGIN') depth++
    else if (property.name === 'END') depth--
    else if (depth === 1) properties.push(property)
  }
  return properties
}

/** Joins the lines of each property: those that go on with white space, and those that end with an encoded line end. */
export function logicalLines(lines: readonly string[]): string[] {
  const isOld = lines.some((line) => /^version:2\.1\s*$/i.test(line))
  const whole: string[][] = []
  let isCut = false
  for (const line of lines) {
    const current = whole.at(-1)
    if (isCut && current !== undefined) current.push(line)
    else if (/^[ \t]/.test(line) && current !== undefined) current.push(isOld ? line : line.slice(1))
    else whole.push([line])
    isCut = line.endsWith('=') && isQuotedPrintable(whole.at(-1)?.[0] ?? '')
  }
  return whole.map((parts) =>
    isQuotedPrintable(parts[0] ?? '')
      ? parts.map((part, index) => (index < parts.length - 1 ? part.replace(/=$/, '') : part)).join('')
      : parts.join(''),
  )
}

const isQuotedPrintable = (line: string): boolean => /^[^:]*[;=]quoted-printable[;:]/i.test(line)

function readProperty(line: string): CardProperty | undefined {
  parameterEnd.lastIndex = 0
  const head = parameterEnd.exec(line)?.[0]
  if (head === undefined) return undefined
  const [first = '', ...rest] = splitOutsideQuotes(head.slice(0, -1), ';')
  // A group, such as `item1.`, ties a property to its label.
  const name = first
    .slice(first.lastIndexOf('.') + 1)
    .trim()
    .toUpperCase()
  const parameters = new Map<string, readonly string[]>()
  for (const one of rest) {
    const at = one.indexOf('=')
    const key = at === -1 ? 'TYPE' : one.slice(0, at).trim().toUpperCase()
    const values = splitOutsideQuotes(one.slice(at + 1), ',').map((value) => value.replaceAll('"', '').trim())
    parameters.set(key, [...(parameters.get(key) ?? []), ...values])
  }
  return { name, parameters, value: line.slice(head.length) }
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts = ['']
  let isQuoted = false
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted
    if (character === separator && !isQuoted) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}

/** Returns whether a property has a type, such as `fax` or `pref`. */
export const hasType = ({ parameters }: CardProperty, type: string): boolean =>
  (parameters.get('TYPE') ?? []).some((one) => one.toLowerCase() === type)

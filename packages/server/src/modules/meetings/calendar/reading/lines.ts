/** A content line of a calendar (RFC 5545 §3.1); names are upper case. */
export type Property = {
  readonly parameters: ReadonlyMap<string, string>
  readonly value: string
}

/** The lines between a BEGIN and its END. */
export type Component = {
  readonly name: string
  /** The number of the line that begins it. */
  readonly line: number
  readonly properties: Map<string, Property[]>
  readonly components: Component[]
  isClosed: boolean
}

export const propertyOf = ({ properties }: Component, name: string): Property | undefined => properties.get(name)?.[0]

export const propertiesOf = ({ properties }: Component, name: string): readonly Property[] => properties.get(name) ?? []

/** The properties that are read; all others, perhaps with megabytes of attachments, are passed over. */
const read = new Set(
  (
    'UID SUMMARY STATUS SEQUENCE DTSTAMP METHOD ORGANIZER ATTENDEE X-WR-TIMEZONE DTSTART DTEND DURATION RRULE RDATE ' +
    'EXDATE EXRULE RECURRENCE-ID TZID TZOFFSETFROM TZOFFSETTO X-LIC-LOCATION'
  ).split(' '),
)

/** Components inside each other that are followed; deeper ones are passed over. */
const depthMax = 10

/** Reads the components of a calendar. A line that is no content line is passed over, as a fold that was lost is. */
export function readComponents(text: string): Component[] {
  const root = componentAt('', 0)
  const open = [root]
  let number = 0
  for (const { line, lines } of unfolded(text)) {
    const at = number + 1
    number += lines
    const end = /[:;]/.exec(line)?.index
    if (end === undefined) continue
    const name = line.slice(0, end).trim().toUpperCase()
    const current = open.at(-1) ?? root
    if (name === 'BEGIN') {
      const opened = componentAt(
        line
          .slice(end + 1)
          .trim()
          .toUpperCase(),
        at,
      )
      if (open.length <= depthMax) current.components.push(opened)
      open.push(opened)
    } else if (name === 'END') close(open, line.slice(end + 1))
    else if (read.has(name)) {
      const property = readProperty(line, end)
      const others = current.properties.get(name)
      if (property === undefined) continue
      if (others === undefined) current.properties.set(name, [property])
      else others.push(property)
    }
  }
  return root.components
}

const componentAt = (name: string, line: number): Component => ({
  name,
  line,
  properties: new Map(),
  components: [],
  isClosed: false,
})

function close(open: Component[], ended: string): void {
  const name = ended.trim().toUpperCase()
  const at = open.findLastIndex((one) => one.name === name)
  const closed = open[at]
  // Components inside that were not closed stay open, and are reported as cut off.
  if (at <= 0 || closed === undefined) return
  closed.isClosed = true
  open.length = at
}

/** The lines, where a line that begins with a blank goes on with the one before. */
function* unfolded(text: string): Generator<{ readonly line: string; readonly lines: number }> {
  let parts: string[] = []
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)) {
    if (parts.length > 0 && /^[ \t]/.test(line)) {
      parts.push(line.slice(1))
      continue
    }
    if (parts.length > 0) yield { line: parts.join(''), lines: parts.length }
    parts = [line]
  }
  yield { line: parts.join(''), lines: parts.length }
}

/** Parameters and value; colons, semicolons and commas inside quotes are part of a parameter. */
function readProperty(line: string, nameEnd: number): Property | undefined {
  const parameters = new Map<string, string>()
  let from = nameEnd
  while (line[from] === ';') {
    const equals = line.indexOf('=', from)
    if (equals === -1) return undefined
    const name = line
      .slice(from + 1, equals)
      .trim()
      .toUpperCase()
    const end = endOfParameter(line, equals + 1, name)
    parameters.set(name, spelledOut(line.slice(equals + 1, end).replaceAll('"', '')))
    from = end
  }
  return line[from] === ':' ? { parameters, value: line.slice(from + 1) } : undefined
}

function endOfParameter(line: string, from: number, name: string): number {
  let isQuoted = false
  for (let at = from; at < line.length; at++) {
    const char = line[at]
    if (char === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (char === ';' || (char === ':' && !(name === 'TZID' && isInZoneName(line, from, at)))) return at
  }
  return line.length
}

/** Some programs leave out the quotes around `(UTC-05:00) Eastern Time`: what follows a zone is a date. */
function isInZoneName(line: string, from: number, colon: number): boolean {
  const rest = line.slice(colon + 1, from + zoneNameMax)
  return !/^ *\d{4}/.test(rest) && /[:;] *\d{4}/.test(rest)
}

const zoneNameMax = 150

const carets: Readonly<Record<string, string>> = { n: '\n', "'": '"' }

/** A parameter without its escapes (RFC 6868). */
const spelledOut = (text: string): string => text.replaceAll(/\^([n'^])/g, (_, char: string) => carets[char] ?? char)

const escapes: Readonly<Record<string, string>> = { n: '\n', N: '\n' }

/** A text without its escapes (RFC 5545 §3.3.11). */
export const unescaped = (text: string): string => text.replace(/\\(.)/g, (_, char: string) => escapes[char] ?? char)

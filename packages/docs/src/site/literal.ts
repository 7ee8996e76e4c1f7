/** The notation of values in a language. */
type Spelling = {
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>
  readonly text: (value: string) => string
  readonly key: (name: string) => string
}

const quoted = (value: string): string => JSON.stringify(value)

const singleQuoted = (value: string): string =>
  value.includes("'") ? quoted(value) : `'${quoted(value).slice(1, -1).replaceAll('\\"', '"')}'`

export const typescript: Spelling = {
  words: { true: 'true', false: 'false', null: 'null' },
  text: singleQuoted,
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : singleQuoted(name)),
}

export const python: Spelling = {
  words: { true: 'True', false: 'False', null: 'None' },
  text: quoted,
  key: quoted,
}

export const json: Spelling = {
  words: { true: 'true', false: 'false', null: 'null' },
  text: quoted,
  key: quoted,
}

/** The longest literal that is written on one line. */
const lineMax = 64

function onOneLine(value: unknown, spelling: Spelling): string {
  if (typeof value === 'string') return spelling.text(value)
  if (typeof value === 'boolean' || value === null) return spelling.words[`${value}`]
  if (Array.isArray(value)) return `[${value.map((item) => onOneLine(item, spelling)).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value).map(([name, inner]) => `${spelling.key(name)}: ${onOneLine(inner, spelling)}`)
  if (entries.length === 0) return '{}'
  return spelling === python ? `{${entries.join(', ')}}` : `{ ${entries.join(', ')} }`
}

/** A value as a program has it: what fits stands in one line, everything else below each other. */
export function literal(value: unknown, spelling: Spelling, indent = ''): string {
  const line = onOneLine(value, spelling)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= lineMax) return line
  const inner = `${indent}  `
  const lines = Array.isArray(value)
    ? value.map((item) => literal(item, spelling, inner))
    : Object.entries(value).map(([name, one]) => `${spelling.key(name)}: ${literal(one, spelling, inner)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  // JSON takes no comma behind the last.
  const last = spelling === json ? '' : ','
  return `${open}\n${inner}${lines.join(`,\n${inner}`)}${last}\n${indent}${close}`
}

/** A row of a table. */
export type TableRow = { readonly id: string; readonly attributes: Readonly<Record<string, unknown>> }

const columnsMax = 6
const cellWidthMax = 40
const gap = '  '

type TableOptions = {
  readonly width: number | undefined
  readonly header: boolean
  /** Columns that come before those that hold anything. */
  readonly leading: readonly string[]
}

/** Records as aligned columns, and which columns those are: the given ones, or the first that hold anything. */
export function formatTable(
  records: readonly TableRow[],
  columns: readonly string[] | undefined,
  { width, header, leading }: TableOptions,
): { text: string; columns: readonly string[] } {
  const names = columns ?? [...leading, ...filledColumns(records)]
  const rows = records.map((record) =>
    names.map((name) => cut(name === 'id' ? record.id : cellText(record.attributes[name]))),
  )
  if (header) rows.unshift([...names])
  const widths = names.map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[column] as string)), 0),
  )
  const lines = rows.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] as number))
      .join(gap)
      .trimEnd(),
  )
  return { columns: names, text: lines.map((line) => `${width === undefined ? line : cut(line, width)}\n`).join('') }
}

/** One record, a line for each field that holds something. */
export function formatRecord({ id, attributes }: TableRow): string {
  const filled = Object.entries(attributes).flatMap(([name, value]) =>
    name === '_id' || cellText(value) === '' ? [] : [[name, cellText(value)] as const],
  )
  const width = Math.max(...filled.map(([name]) => name.length), 'id'.length)
  return [['id', id] as const, ...filled].map(([name, text]) => `${name.padEnd(width)}${gap}${text}`).join('\n')
}

const filledColumns = (records: readonly TableRow[]): string[] =>
  Object.keys(records[0]?.attributes ?? {})
    .filter((name) => !name.startsWith('_') && records.some(({ attributes }) => cellText(attributes[name]) !== ''))
    .slice(0, columnsMax)

/** A value in one line. Control characters go: a record may not steer the terminal. */
function cellText(value: unknown): string {
  return plainText(value).replaceAll(controlCharacters, ' ').trim()
}

// oxlint-disable-next-line no-control-regex
const controlCharacters = /[\u0000-\u001F\u007F-\u009F]+/g

function plainText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return value.map(plainText).join(', ')
  if ('items' in value) return plainText(value.items)
  return 'full_name' in value ? plainText(value.full_name) : JSON.stringify(value)
}

const segmenter = new Intl.Segmenter()
/** Scripts whose characters take two columns of a terminal. */
const wide = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}/u

const charactersOf = (text: string): string[] => [...segmenter.segment(text)].map(({ segment }) => segment)
const widthOf = (text: string): number =>
  charactersOf(text).reduce((sum, character) => sum + (wide.test(character) ? 2 : 1), 0)
const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

function cut(text: string, width = cellWidthMax): string {
  if (widthOf(text) <= width) return text
  let taken = ''
  for (const character of charactersOf(text)) {
    if (widthOf(taken + character) > width - 1) break
    taken += character
  }
  return `${taken}…`
}

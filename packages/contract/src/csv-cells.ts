/** Behind how many apostrophes ever, what a spreadsheet takes for the beginning of a formula. */
const formula = /^'*[=+\-@\t\r＝＋－＠]/

/** A text as the cell of a file: no spreadsheet takes it for a formula (docs/decisions/0231). */
export const guardedCell = (text: string): string => (formula.test(text) ? `'${text}` : text)

/** The text of a cell: `guardedCell` taken back. */
export const unguardedCell = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell

/** Separates the items of one cell by default. */
export const itemSeparator = ';'

/** Items in one cell. Those that would not be read as they are stand in quotes, as cells do in a line. */
export const joinedItems = (items: readonly string[]): string => items.map(quotedItem).join(`${itemSeparator} `)

const quotedItem = (item: string): string =>
  item.includes(itemSeparator) || item.startsWith('"') || item !== item.trim()
    ? `"${item.replaceAll('"', '""')}"`
    : item

/**
 * The items of a cell, without those of nothing; undefined where a quote at the beginning of one is not closed before
 * the next separator. Without a separator the cell is one item.
 */
export function splitItems(cell: string, separator: string): string[] | undefined {
  if (separator === '') return [cell.trim()].filter((item) => item !== '')
  const items: string[] = []
  let rest: string | undefined = cell
  while (rest !== undefined) {
    const [item, after] = firstItem(rest, separator)
    if (item === undefined) return undefined
    if (item !== '') items.push(item)
    rest = after
  }
  return items
}

const quoted = /^\s*"([^"]*(?:""[^"]*)*)"/

/** The first item of a text, and what follows its separator, if it has one. */
function firstItem(text: string, separator: string): [item: string | undefined, rest: string | undefined] {
  const isQuoted = text.trimStart().startsWith('"')
  const [opening = '', content] = (isQuoted && quoted.exec(text)) || []
  const at = text.indexOf(separator, opening.length)
  const plain = text.slice(opening.length, at === -1 ? undefined : at).trim()
  const rest = at === -1 ? undefined : text.slice(at + separator.length)
  if (!isQuoted) return [plain, rest]
  return [plain === '' ? content?.replaceAll('""', '"') : undefined, rest]
}

import { dayMs } from '../../../kernel/clock.ts'
import type { CellType } from '@kontor/contract'
import { TableFault } from '../table.ts'

/** Rows of a sheet, and characters of a cell, that spreadsheets open. */
export const rowsOfSheetMax = 1_048_576
const charactersMax = 32_767

/** The day that spreadsheets count from, and the first one that all of them count alike. */
const epochMs = Date.UTC(1899, 11, 30)
const firstMs = Date.UTC(1900, 2, 1)

/** The styles of `xl/styles.xml`. */
const styles = { date: 1, timestamp: 2 } as const

/** Characters that XML has no form for, and texts that look like the form that spreadsheets give them. */
// oxlint-disable-next-line no-control-regex
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\r]|_(?=x[0-9a-f]{4}_)/gi

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(unwritable, (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replace(/[&<>]/g, (character) => entities[character] ?? character)

/**
 * Writes a cell: numbers, booleans, days and times as such, and everything else as a text, which no spreadsheet ever
 * reads as a formula.
 */
export function cellXml(type: CellType, value: unknown, column = ''): string {
  if (value === null || value === undefined || value === '') return '<c/>'
  if (typeof value === 'number') return Number.isFinite(value) ? `<c><v>${value}</v></c>` : '<c/>'
  if (typeof value === 'boolean') return `<c t="b"><v>${value ? 1 : 0}</v></c>`
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const serial = type === 'date' || type === 'timestamp' ? serialOf(text) : undefined
  if (serial !== undefined && (type === 'date' || type === 'timestamp'))
    return `<c s="${styles[type]}"><v>${serial}</v></c>`
  if (text.length > charactersMax)
    throw new TableFault(
      `A text of "${column}" has ${text.length} characters, and a cell of a spreadsheet at most ${charactersMax}: ` +
        'choose CSV, or leave the column out.',
    )
  return `<c t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`
}

/** A day or a time as the number of days that spreadsheets count; undefined where they count none. */
function serialOf(text: string): number | undefined {
  const ms = Date.parse(text)
  return ms >= firstMs ? (ms - epochMs) / dayMs : undefined
}

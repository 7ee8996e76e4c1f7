import type { Cell } from '../cell.ts'
import { FileFault } from '../file-fault.ts'
import type { NumberStyle } from './styles.ts'
import { readXml, unescaped } from './xml.ts'

/** The largest that a sheet can be. */
const rowsMax = 1_048_576
const columnsMax = 16_384

/** A row that has a cell with something in it, and its number in the sheet. */
export type SheetRow = { readonly row: number; readonly cells: readonly Cell[] }

type Context = {
  readonly strings: readonly string[]
  readonly styles: readonly NumberStyle[]
  readonly isFrom1904: boolean
}

/** A cell while it is read. */
type OpenCell = { readonly column: number; readonly type: string; readonly style: number; text: string }

/** Reads the rows of a sheet. Formulas have the value that was stored with them; errors, such as #N/A, are empty. */
export async function readSheet(
  bytes: AsyncIterable<Buffer> | undefined,
  context: Context,
  take: (row: SheetRow) => void,
  isEnough: () => boolean,
): Promise<void> {
  let row = 0
  let cells: Cell[] = []
  let cell: OpenCell | undefined
  let [isText, isHint] = [false, false]
  const handler = {
    open(name: string, attributes: Readonly<Record<string, string>>) {
      isText = false
      if (name === 'row') {
        row = nextRow(row, attributes['r'])
        cells = []
      } else if (name === 'c') cell = openCell(attributes, cells.length)
      else if (name === 'rPh') isHint = true
      else isText = (name === 'v' || name === 't') && !isHint
    },
    text(text: string) {
      if (isText && cell !== undefined) cell.text += text
    },
    close(name: string) {
      isText = false
      if (name === 'rPh') isHint = false
      if (name === 'c' && cell !== undefined) {
        putCell(cells, cell.column, valueOf(cell, context))
        cell = undefined
      }
      if (name === 'row' && cells.some((one) => one !== '')) take({ row, cells: trimmed(cells) })
    },
  }
  await readXml(bytes, handler, isEnough)
}

function nextRow(before: number, text: string | undefined): number {
  const row = text === undefined ? before + 1 : Number(text)
  if (!Number.isInteger(row) || row <= before || row > rowsMax)
    throw new FileFault('The rows of the sheet are not numbered in order. Open and save the workbook, and try again.')
  return row
}

function openCell({ r: place = '', t: type = 'n', s: style = '0' }: Readonly<Record<string, string>>, next: number) {
  const letters = /^[A-Z]{1,3}/.exec(place)?.[0]
  const column = letters === undefined ? next : columnOf(letters)
  if (column >= columnsMax) throw new FileFault(`The sheet has more than ${columnsMax} columns.`)
  return { column, type, style: Number(style), text: '' }
}

const columnOf = (letters: string): number =>
  [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1

function putCell(cells: Cell[], column: number, value: Cell): void {
  while (cells.length < column) cells.push('')
  cells[column] = value
}

function valueOf({ type, style, text }: OpenCell, { strings, styles, isFrom1904 }: Context): Cell {
  if (type === 's') return strings[Number(text)] ?? ''
  if (type === 'inlineStr' || type === 'str') return unescaped(text)
  if (type === 'b') return text.trim() === '' ? '' : text.trim() === '1' || text.trim() === 'true'
  if (type === 'e') return ''
  return type === 'd' ? text.trim() : numberCell(text, styles[style] ?? 'number', isFrom1904)
}

function trimmed(cells: readonly Cell[]): readonly Cell[] {
  const last = cells.findLastIndex((one) => one !== '')
  return cells.slice(0, last + 1)
}

const dayMs = 86_400_000

/** Days from the first of a workbook to 1970-01-01, and after the last of the year 9999. */
const daysBefore1970 = 25_569
const daysMax = 2_958_466
const daysFrom1904 = 1462

/** A day that never was, 1900-02-29, which workbooks count. */
const leapDay = 60

/** Reads the number in a cell as it is shown: dates and times in the form of ISO 8601. */
function numberCell(text: string, style: NumberStyle, isFrom1904: boolean): Cell {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) return text
  if (typeof style === 'object')
    return Number.isInteger(value) && value >= 0 ? String(value).padStart(style.digits, '0') : value
  // Workbooks show 15 digits, and store what comes after them by chance.
  if (style === 'number') return Number(value.toPrecision(15))
  return instant(value + (isFrom1904 ? daysFrom1904 : 0), style) ?? value
}

function instant(days: number, style: Exclude<NumberStyle, object | 'number'>): string | undefined {
  if (days < 0 || days >= daysMax) return undefined
  const shift = days < leapDay ? 1 : 0
  const ms = Math.round((days + shift - daysBefore1970) * dayMs)
  const [date = '', time = ''] = new Date(ms).toISOString().replace('Z', '').replace('.000', '').split('T')
  if (style === 'time') return days < 1 ? time : `${date}T${time}`
  return style === 'date' || time === '00:00:00' ? date : `${date}T${time}`
}

import { cellText, type Cell } from '../cell.ts'
import { FileFault } from '../file-fault.ts'
import { distinctHeader } from '../header.ts'
import { Archive } from './archive.ts'
import { readSheet, type SheetRow } from './sheet.ts'
import { readStyles } from './styles.ts'
import { findSheet, readWorkbook } from './workbook.ts'
import { readXml, unescaped } from './xml.ts'

/** A sheet, whose rows below the header are lines of JSON: the number of the row, and its cells. */
export type UnpackedSheet = {
  readonly sheet: string
  readonly sheets: readonly string[]
  readonly header: readonly string[]
  /** The row that names the columns. */
  readonly line: number
  readonly rows: number
  readonly bytes: Buffer
}

/** A row, as a line of JSON. */
export type SheetLine = readonly [row: number, cells: readonly Cell[]]

const bytesMax = 56 << 20
const portionCharacters = 1 << 18

/** Lines of JSON, as the bytes that they are stored in. */
class Lines {
  readonly #portions: Buffer[] = []
  #pending = ''
  #bytes = 0
  count = 0

  add({ row, cells }: SheetRow, width: number): void {
    // Cells at the end that are empty are not stored.
    const filled = cells.length < width ? [...cells, ...Array<string>(width - cells.length).fill('')] : cells
    const line: SheetLine = [row, filled]
    this.#pending += `${JSON.stringify(line)}\n`
    this.count++
    if (this.#pending.length > portionCharacters) this.#flush()
  }

  end(): Buffer {
    this.#flush()
    return Buffer.concat(this.#portions)
  }

  #flush(): void {
    const portion = Buffer.from(this.#pending)
    this.#pending = ''
    this.#bytes += portion.length
    if (this.#bytes > bytesMax)
      throw new FileFault('The sheet is too large. Save it as CSV, and import that: its size is not limited.')
    this.#portions.push(portion)
  }
}

/** Reads a sheet of a workbook, or the first rows of it. */
export async function unpackSheet(
  workbook: Buffer,
  sheetName: string | undefined,
  rowsMax = Infinity,
): Promise<UnpackedSheet> {
  const archive = await Archive.open(workbook)
  const { sheets, isFrom1904, ...places } = await readWorkbook(archive)
  const sheet = findSheet({ sheets, isFrom1904, ...places }, sheetName)
  const strings = await readSharedStrings(archive.read(places.sharedStrings))
  const styles = await readStyles(archive.read(places.styles))
  let header: SheetRow | undefined
  const lines = new Lines()
  const take = (row: SheetRow): void => {
    if (header === undefined) header = row
    else if (lines.count < rowsMax) lines.add(row, header.cells.length)
  }
  const context = { strings, styles, isFrom1904 }
  await readSheet(archive.read(sheet.path), context, take, () => lines.count >= rowsMax)
  if (header === undefined) throw new FileFault(`The sheet "${sheet.name}" is empty; its first row names the columns.`)
  const names = header.cells.map((cell) => cellText(cell).trim())
  return {
    sheet: sheet.name,
    sheets: sheets.map(({ name }) => name),
    header: distinctHeader(names),
    line: header.row,
    rows: lines.count,
    bytes: lines.end(),
  }
}

const stringsMax = 2_000_000
const charactersMax = 48 << 20

/** Reads the texts that cells refer to by their number; formatting and phonetic hints are left out. */
async function readSharedStrings(bytes: AsyncIterable<Buffer> | undefined): Promise<readonly string[]> {
  const strings: string[] = []
  let current = ''
  let characters = 0
  let [isText, isHint] = [false, false]
  await readXml(bytes, {
    open(name) {
      if (name === 'si') current = ''
      isHint ||= name === 'rPh'
      isText = name === 't' && !isHint
    },
    text(text) {
      if (!isText) return
      current += text
      characters += text.length
      if (characters > charactersMax) throw tooMuch()
    },
    close(name) {
      isText = false
      if (name === 'rPh') isHint = false
      if (name !== 'si') return
      strings.push(unescaped(current))
      if (strings.length > stringsMax) throw tooMuch()
    },
  })
  return strings
}

const tooMuch = () => new FileFault('The workbook has too many texts. Save the sheet as CSV, and import that.')

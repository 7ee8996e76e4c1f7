import { ArchiveWriter } from '../../../lib/archive-writer.ts'
import { TableFault, type ExportedTable, type WriteTable } from '../table.ts'
import { dayMs } from '../../../kernel/clock.ts'
import type { CellType } from '@kontor/contract'

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Writes a workbook while its rows are read: one sheet, and a further one after each million rows. */
export const writeXlsx: WriteTable = (table, store) => {
  const archive = new ArchiveWriter()
  return archive.into(store, () => writeWorkbook(archive, table))
}

async function writeWorkbook(archive: ArchiveWriter, { columns, rows }: ExportedTable): Promise<void> {
  const header = `<row>${columns.map(({ name }) => cellXml('text', name)).join('')}</row>`
  const portions = rowTexts({ columns, rows })
  let sheets = 0
  let rest: RowTexts | undefined
  do {
    const sheet = sheetOf(header, portions, rest)
    await archive.add(`xl/worksheets/sheet${++sheets}.xml`, sheet.chunks)
    rest = sheet.rest()
  } while (rest !== undefined)
  for (const [name, text] of Object.entries(partsOf(sheets))) await archive.add(name, chunkOf(text))
  archive.end()
}

type RowTexts = readonly string[]

async function* rowTexts({ columns, rows }: ExportedTable): AsyncGenerator<RowTexts> {
  for await (const portion of rows)
    yield portion.map(
      ({ cells }) => `<row>${columns.map(({ type, name }, at) => cellXml(type, cells[at], name)).join('')}</row>`,
    )
}

/** One sheet: its rows as far as they fit, and afterwards the rest of the portion that did not. */
function sheetOf(header: string, portions: AsyncGenerator<RowTexts>, begun: RowTexts | undefined) {
  let rest: RowTexts | undefined
  async function* chunks(): AsyncGenerator<Buffer> {
    yield Buffer.from(`${xml}<worksheet xmlns="${main}"><sheetData>${header}`)
    let room = rowsOfSheetMax - 1
    for (let portion = begun ?? (await nextOf(portions)); portion !== undefined; portion = await nextOf(portions)) {
      yield Buffer.from(portion.slice(0, room).join(''))
      if (portion.length > room) {
        rest = portion.slice(room)
        break
      }
      room -= portion.length
    }
    yield Buffer.from('</sheetData></worksheet>')
  }
  return { chunks: chunks(), rest: () => rest }
}

async function nextOf(portions: AsyncGenerator<RowTexts>): Promise<RowTexts | undefined> {
  const next = await portions.next()
  return next.done === true ? undefined : next.value
}

const numbered = (count: number, text: (number: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index + 1)).join('')

const sheetType = (number: number): string =>
  `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${types}.worksheet+xml"/>`

/** The parts of a workbook beside its sheets. */
const partsOf = (sheets: number): Readonly<Record<string, string>> => ({
  '[Content_Types].xml':
    `${xml}<Types xmlns="${packages}/content-types"><Default Extension="rels" ` +
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ' +
    `ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/>` +
    `<Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/>` +
    `${numbered(sheets, sheetType)}</Types>`,
  '_rels/.rels':
    `${xml}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" ` +
    `Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml':
    `${xml}<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets>` +
    `${numbered(sheets, (n) => `<sheet name="Export ${n}" sheetId="${n}" r:id="rId${n}"/>`)}</sheets></workbook>`,
  'xl/_rels/workbook.xml.rels':
    `${xml}<Relationships xmlns="${packages}/relationships">` +
    numbered(
      sheets,
      (n) => `<Relationship Id="rId${n}" Type="${relationships}/worksheet" Target="worksheets/sheet${n}.xml"/>`,
    ) +
    `<Relationship Id="rId${sheets + 1}" Type="${relationships}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml':
    `${xml}<styleSheet xmlns="${main}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>` +
    '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="1"><font/></fonts>' +
    '<fills count="1"><fill/></fills><borders count="1"><border/></borders>' +
    '<cellStyleXfs count="1"><xf/></cellStyleXfs>' +
    '<cellXfs count="3"><xf/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/>' +
    '</cellXfs></styleSheet>',
})

async function* chunkOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

/** Rows of a sheet, and characters of a cell, that spreadsheets open. */
const rowsOfSheetMax = 1_048_576
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
function cellXml(type: CellType, value: unknown, column = ''): string {
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

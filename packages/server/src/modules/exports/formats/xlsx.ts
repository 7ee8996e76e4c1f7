import { ArchiveWriter } from '../../../lib/archive-writer.ts'
import type { ExportedTable, WriteTable } from '../table.ts'
import { cellXml, rowsOfSheetMax } from './xlsx-cells.ts'

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

import { PassThrough, Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import type { Cell } from '../reading/cell.ts'

/** Characters that a cell of a workbook may have. */
const charactersMax = 32_767

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packageRelationships = 'http://schemas.openxmlformats.org/package/2006/relationships'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Writes rows as a workbook with one sheet. Texts are texts: none is a formula. */
export function writeWorkbook(sheet: string, rows: AsyncIterable<readonly (readonly Cell[])[]>): Readable {
  const zip = new ZipFile()
  const output = new PassThrough()
  zip.on('error', (error: Error) => output.destroy(error))
  for (const [name, content] of Object.entries(partsOf(sheet))) zip.addBuffer(Buffer.from(xmlHead + content), name)
  zip.addReadStream(Readable.from(sheetXml(rows)), 'xl/worksheets/sheet1.xml')
  zip.end()
  zip.outputStream.pipe(output)
  return output
}

const partsOf = (sheet: string) => ({
  '[Content_Types].xml':
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `<Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/>` +
    `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/></Types>`,
  '_rels/.rels': relationOf('officeDocument', 'xl/workbook.xml'),
  'xl/_rels/workbook.xml.rels': relationOf('worksheet', 'worksheets/sheet1.xml'),
  'xl/workbook.xml':
    `<workbook xmlns="${main}" xmlns:r="${relationships}">` +
    `<sheets><sheet name="${escaped(sheet)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
})

const relationOf = (type: string, target: string): string =>
  `<Relationships xmlns="${packageRelationships}">` +
  `<Relationship Id="rId1" Type="${relationships}/${type}" Target="${target}"/></Relationships>`

async function* sheetXml(
  portions: AsyncIterable<readonly (readonly Cell[])[]>,
): AsyncGenerator<string, void, undefined> {
  yield `${xmlHead}<worksheet xmlns="${main}"><sheetData>`
  for await (const rows of portions) yield rows.map((cells) => `<row>${cells.map(cellXml).join('')}</row>`).join('')
  yield '</sheetData></worksheet>'
}

function cellXml(cell: Cell): string {
  if (cell === '') return '<c/>'
  if (typeof cell === 'number') return `<c><v>${cell}</v></c>`
  if (typeof cell === 'boolean') return `<c t="b"><v>${cell ? 1 : 0}</v></c>`
  const text = escaped(cell.slice(0, charactersMax))
  return `<c t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Characters that XML does not allow are written as workbooks write them: `_x0000_`. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll(
      // oxlint-disable-next-line no-control-regex
      /[\u0000-\u0008\u000B-\u001F\uFFFE\uFFFF]/g,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? character)

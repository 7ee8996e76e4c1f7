import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

/** A cell as XML, without its place: `<c r="A1"` is written before it. */
type CellXml = string | null

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** Formats of cells, by number: none, a date, a date and a time by codes of their own, five digits, a percentage. */
const styles =
  `<styleSheet xmlns="${main}"><numFmts><numFmt numFmtId="164" formatCode="[$-407]dd/mm/yyyy\\ hh:mm;@"/>` +
  '<numFmt numFmtId="165" formatCode="00000"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>' +
  [0, 14, 164, 165, 9].map((id) => `<xf numFmtId="${id}"/>`).join('') +
  '</cellXfs></styleSheet>'

export type Sheet = { readonly name: string; readonly isHidden?: true; readonly rows: readonly (readonly CellXml[])[] }

/** Texts that cells refer to: `shared(0)`. */
const sharedTexts = ['Grace', 'Hopper &amp; Co', '<r><t>Rich </t></r><r><t>text</t></r><rPh><t>hint</t></rPh>']

export const shared = (index: number): string => ` t="s"><v>${index}</v></c>`
export const text = (value: string): string => ` t="inlineStr"><is><t>${value}</t></is></c>`
export const value = (number: number, style = 0): string => ` s="${style}"><v>${number}</v></c>`

/** Writes a workbook as spreadsheets do. */
export function workbookOf(sheets: readonly Sheet[], files: Readonly<Record<string, string>> = {}): Promise<Buffer> {
  const zip = new ZipFile()
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${relationships}/${type}" Target="${target}"/>`
  const parts: Record<string, string> = {
    '_rels/.rels': `<Relationships>${relation('r1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml':
      `<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets>` +
      sheets
        .map(({ name, isHidden }, at) => `<sheet name="${name}"${isHidden ? ' state="hidden"' : ''} r:id="s${at}"/>`)
        .join('') +
      '</sheets></workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships>${sheets
      .map((_, at) => relation(`s${at}`, 'worksheet', `/xl/worksheets/sheet${at}.xml`))
      .concat(relation('st', 'styles', 'styles.xml'), relation('sh', 'sharedStrings', 'sharedStrings.xml'))
      .join('')}</Relationships>`,
    'xl/styles.xml': styles,
    'xl/sharedStrings.xml': `<sst>${sharedTexts
      .map((one) => `<si>${one.startsWith('<') ? one : `<t>${one}</t>`}</si>`)
      .join('')}</sst>`,
    ...Object.fromEntries(sheets.map(({ rows }, at) => [`xl/worksheets/sheet${at}.xml`, sheetXml(rows)])),
    ...files,
  }
  for (const [name, content] of Object.entries(parts)) zip.addBuffer(Buffer.from(content), name)
  zip.end()
  return buffer(zip.outputStream)
}

const sheetXml = (rows: readonly (readonly CellXml[])[]): string =>
  `<worksheet xmlns="${main}"><sheetData>${rows
    .map((cells, row) => {
      const written = cells.map((cell, column) =>
        cell === null ? '' : `<c r="${String.fromCharCode(65 + column)}${row + 1}"${cell}`,
      )
      return `<row r="${row + 1}">${written.join('')}</row>`
    })
    .join('')}</sheetData><mergeCells><mergeCell ref="A1:B1"/></mergeCells></worksheet>`

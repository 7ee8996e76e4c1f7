import { parse } from 'node:path'
import { Readable, PassThrough } from 'node:stream'
import type { ReadTx } from '../../../db/tx.ts'
import type { ImportRow } from '../store.ts'
import type { Cell } from '../reading/cell.ts'
import { rejectColumns, rejectsFile } from './file.ts'
import { eachReject, type RejectRow } from './store.ts'
import { ZipFile } from 'yazl'

/** A file of rejected rows. */
export type RejectsFile = { readonly name: string; readonly mimeType: string; readonly bytes: Readable }

/** Writes the rejected rows of an import in the format of its file; lines of NDJSON are written as CSV. */
export function writeRejects(tx: ReadTx, workspaceId: string, row: ImportRow): RejectsFile {
  const { format, sheet } = row.shape
  const name = parse(row.file_name).name.slice(0, nameMax)
  if (format === 'xlsx')
    return {
      name: `${name}.rejects.xlsx`,
      mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      bytes: writeWorkbook(sheet?.sheet ?? 'Sheet1', sheetRows(tx, workspaceId, row)),
    }
  if (format === 'vcard')
    return { name: `${name}.rejects.vcf`, mimeType: 'text/vcard', bytes: bytesOf(cards(tx, workspaceId, row)) }
  return { name: `${name}.rejects.csv`, mimeType: 'text/csv', bytes: bytesOf(rejectsFile(tx, workspaceId, row)) }
}

/** Texts as bytes, read while they are stored. */
const bytesOf = (portions: AsyncIterable<readonly string[]>): Readable =>
  Readable.from(
    (async function* () {
      for await (const texts of portions) yield Buffer.from(texts.join(''))
    })(),
  )

async function* cards(tx: ReadTx, workspaceId: string, row: ImportRow): AsyncGenerator<string[], void, undefined> {
  for await (const rejects of eachReject(tx, { workspaceId, importId: row.id })) yield rejects.map(rejectedCard)
}

/** Leaves room for what is added to the name of the imported file. */
const nameMax = 200

async function* sheetRows(
  tx: ReadTx,
  workspaceId: string,
  row: ImportRow,
): AsyncGenerator<readonly (readonly Cell[])[], void, undefined> {
  const { header, rowOf } = rejectColumns(row)
  yield [header]
  for await (const rejects of eachReject(tx, { workspaceId, importId: row.id })) yield rejects.map(rowOf)
}

const ours = /^X-KONTOR-(?:LINE|REASON)[:;]/i

/** Writes a rejected card as it was, with its line and the reason; its pictures are not kept. */
function rejectedCard({ line, cells, reason }: RejectRow): string {
  const lines = String(cells.at(-1) ?? '')
    .split('\r\n')
    .filter((one) => !ours.test(one))
  const why = reason.replaceAll(/[\\,;]/g, String.raw`\$&`).replaceAll(/\r\n|\r|\n/g, String.raw`\n`)
  return [...lines.slice(0, -1), `X-KONTOR-LINE:${line}`, `X-KONTOR-REASON:${why}`, ...lines.slice(-1), ''].join('\r\n')
}

/** Characters that a cell of a workbook may have. */
const charactersMax = 32_767

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packageRelationships = 'http://schemas.openxmlformats.org/package/2006/relationships'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Writes rows as a workbook with one sheet. Texts are texts: none is a formula. */
function writeWorkbook(sheet: string, rows: AsyncIterable<readonly (readonly Cell[])[]>): Readable {
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

import { parse } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadTx } from '../../../db/tx.ts'
import type { ImportRow } from '../store.ts'
import type { Cell } from '../reading/cell.ts'
import { rejectedCard } from './cards.ts'
import { rejectColumns, rejectsFile } from './file.ts'
import { eachReject } from './store.ts'
import { writeWorkbook } from './workbook.ts'

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

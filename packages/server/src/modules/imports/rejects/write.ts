import { parse } from 'node:path'
import type { ReadTx } from '../../../db/tx.ts'
import { joinChunks } from '../../../kernel/invoke/chunks.ts'
import type { ImportRow } from '../store.ts'
import type { Cell } from '../reading/cell.ts'
import { rejectedCard } from './cards.ts'
import { rejectColumns, rejectsFile } from './file.ts'
import { eachReject } from './store.ts'
import { writeWorkbook } from './workbook.ts'

/** A file of rejected rows. */
export type RejectsFile = { readonly name: string; readonly mimeType: string; readonly bytes: Buffer }

/** Writes the rejected rows of an import in the format of its file; lines of NDJSON are written as CSV. */
export async function writeRejects(tx: ReadTx, workspaceId: string, row: ImportRow): Promise<RejectsFile> {
  const { format, sheet } = row.shape
  const name = parse(row.file_name).name.slice(0, nameMax)
  if (format === 'xlsx')
    return {
      name: `${name}.rejects.xlsx`,
      mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      bytes: await writeWorkbook(sheet?.sheet ?? 'Sheet1', sheetRows(tx, workspaceId, row)),
    }
  if (format === 'vcard') {
    const cards: string[] = []
    for await (const rejects of eachReject(tx, { workspaceId, importId: row.id }))
      cards.push(...rejects.map(rejectedCard))
    return { name: `${name}.rejects.vcf`, mimeType: 'text/vcard', bytes: Buffer.from(cards.join('')) }
  }
  const { data } = await joinChunks(rejectsFile(tx, workspaceId, row))
  return { name: `${name}.rejects.csv`, mimeType: 'text/csv', bytes: Buffer.from(data.join('')) }
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

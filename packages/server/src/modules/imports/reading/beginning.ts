import { previewRowsMax } from '@kontor/contract/values'
import { readRows } from './rows.ts'
import type { SourceRow } from './source-row.ts'
import { findShape, sheetShape, type FileBeginning, type FileShape } from './shape.ts'
import { unpackSheet } from './xlsx/unpack.ts'

/** Reads the shape of a file, and its first rows. */
export async function readBeginning(
  beginning: FileBeginning,
): Promise<{ readonly shape: FileShape; readonly rows: readonly SourceRow[] }> {
  if (beginning.format === 'xlsx') {
    const unpacked = await unpackSheet(Buffer.from(beginning.bytes), beginning.sheet, previewRowsMax)
    const shape = sheetShape(unpacked)
    return { shape, rows: await readRows({ bytes: unpacked.bytes, isLast: true, shape, line: shape.line }) }
  }
  const shape = await findShape(beginning)
  const bytes = Buffer.from(beginning.bytes).subarray(shape.start)
  const found = await readRows({ bytes, isLast: beginning.isWhole, shape, line: shape.line })
  return { shape, rows: found.slice(0, previewRowsMax) }
}

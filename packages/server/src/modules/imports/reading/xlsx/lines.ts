import type { SourceRow } from '../source-row.ts'
import type { SheetLine } from './unpack.ts'

const newline = 0x0a

const readLine: (text: string) => SheetLine = JSON.parse

/** Reads the lines of JSON that a sheet was unpacked to. */
export function readSheetLines(bytes: Buffer, isLast: boolean): SourceRow[] {
  const rows: SourceRow[] = []
  for (let from = 0; from < bytes.length;) {
    const at = bytes.indexOf(newline, from)
    if (at === -1 && !isLast) break
    const end = at === -1 ? bytes.length : at + 1
    const [line, cells] = readLine(bytes.toString('utf8', from, end))
    rows.push({ line, end, cells })
    from = end
  }
  return rows
}

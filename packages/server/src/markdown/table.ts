import { cellText, readForCell, plainText } from './value.ts'
import type { Change } from '@kontor/contract'

/** Characters of a cell, where a table does not say. */
const cellCharactersMax = 200

/** Characters of a value that a cell reads, beside the few that it shows. */
export const cellReads = readForCell(cellCharactersMax)

/** Writes the lines of a Markdown table: the head, its rule, and a line for each row. */
export function tableLines(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  charactersMax: number = cellCharactersMax,
): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cellText(cell, charactersMax)).join(' | ')} |`
  return [columns, columns.map(() => '---'), ...rows].map(line)
}

export const table = (...given: Parameters<typeof tableLines>): string => tableLines(...given).join('\n')

/** Writes the changes of a dry run as a table: where, what is there, and what would be. */
export const changesTable = (changes: readonly Change[]): string =>
  table(
    ['field', 'before', 'after'],
    changes.map(({ path, val, oldVal, op }) => [
      path.join('.'),
      plainText(oldVal),
      op === 'delete' ? '' : plainText(val),
    ]),
  )

import { cellText } from './value.ts'

/** Writes the lines of a Markdown table: the head, its rule, and a line for each row. */
export function tableLines(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cellText).join(' | ')} |`)
}

export const table = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  tableLines(columns, rows).join('\n')

import type { Notation } from '@kontor/contract/cells'

/** A cell of a file: a text, or the number or truth value that a spreadsheet stores. */
export type Cell = string | number | boolean

/** Writes a cell as the text that a mapping reads; a number in the notation of the texts around it. */
export function cellText(cell: Cell, decimal: Notation['decimal'] = '.'): string {
  if (typeof cell === 'string') return cell
  return decimal === ',' && typeof cell === 'number' ? String(cell).replace('.', ',') : String(cell)
}

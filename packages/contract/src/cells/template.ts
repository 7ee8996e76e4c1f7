import { unguardedCell } from '../csv-cells.ts'
import { suggestion } from '../nearest.ts'

/** Takes one text out of a row; empty when there is none. */
export type Source = { readonly textOf: (cells: readonly string[]) => string; readonly columns: readonly number[] }

/** A column's name, or a text with columns in braces. Problems are added to `faults`. */
export function compileSource(text: string, header: readonly string[], faults: string[]): Source | undefined {
  const column = header.indexOf(text.trim())
  if (column !== -1) return { columns: [column], textOf: (cells) => unguardedCell(cells[column] as string) }
  if (!text.includes('{')) return unknownColumn(text, header, faults)
  return compileTemplate(text, header, faults)
}

function unknownColumn(name: string, header: readonly string[], faults: string[]): undefined {
  faults.push(`The file has no column "${name}".${suggestion(name, header)}`)
}

function compileTemplate(text: string, header: readonly string[], faults: string[]): Source | undefined {
  const pieces = text.split(/\{([^{}]*)\}/)
  const columns = pieces
    .filter((_, index) => index % 2 === 1)
    .map((name) => {
      const column = header.indexOf(name.trim())
      if (column === -1) unknownColumn(name, header, faults)
      return column
    })
  if (columns.length === 0) faults.push(`"${text}" has a brace without a column; write {Column}.`)
  if (columns.length === 0 || columns.includes(-1)) return undefined
  return {
    columns,
    // With a part missing, half a text would be worse than none: "@example.com" is no address.
    textOf(cells) {
      const texts = columns.map((column) => unguardedCell(cells[column] as string))
      if (texts.some((one) => one.trim() === '')) return ''
      return pieces.map((piece, index) => (index % 2 === 1 ? texts[(index - 1) / 2] : piece)).join('')
    },
  }
}

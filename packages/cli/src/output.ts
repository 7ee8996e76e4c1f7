import { formatTable } from './records/table.ts'

/** One JSON value, alone on stdout. */
export const printJson = (value: unknown): void => void print(JSON.stringify(value, undefined, 2))

/** The result of a command with `--json`: the envelope of the API, whatever the command. */
export const printData = (data: unknown): void => printJson({ data })

/** A line of the result, on stdout. */
export const print = (line: string): boolean => process.stdout.write(`${line}\n`)

/** A line for the person, on stderr: stdout belongs to the result. */
export const say = (line: string): boolean => process.stderr.write(`${line}\n`)

/** "1 row", "503 rows". */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`

/** Rows as a table on stdout with a header, and how many there are on stderr. */
export function printTable(rows: readonly { readonly id: string }[], columns: readonly string[], noun: string): void {
  const width = process.stdout.isTTY ? process.stdout.columns : undefined
  const records = rows.map((row) => ({ id: row.id, attributes: row }))
  if (rows.length > 0) process.stdout.write(formatTable(records, columns, { width, header: true, leading: [] }).text)
  say(`${count(rows.length, noun)}.`)
}

import type { ExportedTable } from '../table.ts'

/** Writes an object of JSON for each row, with values as answers have them. */
export async function* ndjsonOf({ rows }: ExportedTable): AsyncGenerator<Buffer> {
  for await (const portion of rows)
    yield Buffer.from(portion.map(({ members }) => `${JSON.stringify(members)}\n`).join(''))
}

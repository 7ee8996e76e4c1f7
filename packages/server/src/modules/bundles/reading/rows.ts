import type { CopiedTable } from '../../../db/copied-tables.ts'
import type { Row } from '../../../db/executor.ts'
import { isRecord, parsedJson } from '../../../lib/guards.ts'
import { tableEntry, type Manifest } from '../manifest.ts'
import type { ArchiveReader } from './archive.ts'
import { BundleFault } from './bundle-fault.ts'
import { linesOf } from './lines.ts'
import { rowFault } from './row-fault.ts'
import { schemaFault } from './schema-fault.ts'

type TableContent = Manifest['tables'][number]

/**
 * Reads the rows of a table, each checked by its columns. `rewrite` changes the text of a line, where ids become
 * others.
 */
export async function* rowsOf(
  archive: ArchiveReader,
  copied: CopiedTable,
  content: TableContent,
  rewrite?: (line: string) => string,
): AsyncGenerator<Row> {
  const name = tableEntry(copied.name)
  let rows = 0
  for await (const { line, number } of linesOf(name, archive.read(name, content))) {
    const row = parsedJson(rewrite === undefined ? line : rewrite(line))
    const fault = isRecord(row) ? faultOf(copied, row) : 'It is not a JSON object.'
    if (fault !== undefined || !isRecord(row)) throw new BundleFault(`${name}, line ${number}: ${fault}`)
    rows++
    yield row
  }
  if (rows !== content.rows)
    throw new BundleFault(`${name} has ${rows} rows instead of ${content.rows}: the bundle is damaged.`)
}

const faultOf = (copied: CopiedTable, row: Row): string | undefined =>
  rowFault(copied, row) ?? (copied.table === 'schema_version' ? schemaFault(row) : undefined)

import type { Change, RecordResource } from '@kontor/contract'
import { asData, changesTable, namesOf, recordLines, titleOf } from '../markdown/index.ts'
import { primaries } from './record-table.ts'
import { primaryOf, type SchemaReader } from './schemas.ts'

/** Writes the result of a dry run, with or without changes. */
export const rehearsal = (changes: readonly Change[]): string =>
  changes.length === 0
    ? 'Dry run: nothing would change.'
    : `Dry run, nothing was written. It would change:\n${asData(changesTable(changes))}`

/** Writes the records that a tool has written, with the fields that it wrote. */
export async function writtenRecords(
  schemas: SchemaReader,
  object: string,
  records: readonly RecordResource[],
  written: readonly Readonly<Record<string, unknown>>[],
): Promise<string> {
  const primary = primaryOf(await schemas.find(object))
  const nameOf = namesOf(records, await primaries(schemas, records))
  const fields = [...new Set(written.flatMap(Object.keys))].filter((field) => field !== primary)
  const named = records.map((record) => ({
    ...record,
    attributes: { ...record.attributes, name_of_record: titleOf(record.attributes, primary) },
  }))
  const lines = recordLines(named, ['name_of_record', ...fields], nameOf)
  return asData(lines.join('\n').replace('name_of_record', primary ?? 'name'))
}

import { stringify } from 'csv-stringify/sync'
import { guardedCell, wholePageMax, type RecordResource } from '@kontor/contract'
import type { Answer, LongAnswer, Chunks } from '../../../kernel/implement.ts'
import { joinChunks } from '../../../kernel/invoke/chunks.ts'
import { objectsOf, resolveFields, resolveInclude, streamRecords } from '../../query/index.ts'
import type { FieldIndexes } from '../../indexes/index.ts'
import { requireList } from '../find.ts'
import type { ListReadContext } from '../records.ts'
import { columnsOf, includedColumns, type CsvColumn } from './columns.ts'
import { askedIn, exportedSet, type ExportContext, type ExportInput } from './question.ts'

/** Streams a list as CSV, read while it is sent: memory use does not grow with the list. */
export async function exportRows(
  ctx: ExportContext,
  indexes: FieldIndexes,
  input: ExportInput,
): Promise<Answer<string> | LongAnswer<string>> {
  const found = await requireList(ctx, input)
  const { object } = found
  const asked = askedIn(ctx, object, input)
  const inclusions = await resolveInclude(ctx, object, asked.include, asked.errorLocations.include)
  const shown = resolveFields(ctx, objectsOf(object, inclusions), asked.fields, asked.errorLocations.fields)
  const columns = [...columnsOf(object, shown.get(object.name)), ...includedColumns(inclusions, shown)]
  const limit = ctx.takesChunks ? Number.MAX_SAFE_INTEGER : wholePageMax
  const answer = await streamRecords(ctx as unknown as ListReadContext, indexes, {
    ...asked,
    ...(await exportedSet(ctx, found, input.body.sql, asked.sortOrder)),
    object: object.name,
    page: { offset: 0, limit, total: 'none' },
    path: `${input.workspace}/objects/${object.name}/lists/${input.list}/rows/csv`,
  })
  const lines = linesOf(columns, answer)
  if (ctx.takesChunks) return { chunks: lines }
  if ('body' in answer && answer.body.links.next !== null)
    throw ctx.fail('invalid_parameter', {
      detail: `The list has more than ${wholePageMax} records: export it over REST, or filter it.`,
    })
  return { body: (await joinChunks(lines)).data.join('') }
}

async function* linesOf(
  columns: readonly CsvColumn[],
  answer: Awaited<ReturnType<typeof streamRecords>>,
): Chunks<string> {
  yield [csvOf([columns.map(({ name }) => name)])]
  if ('body' in answer) yield [rowsOf(columns, answer.body.data)]
  else for await (const records of answer.chunks) yield [rowsOf(columns, records)]
  return {}
}

const rowsOf = (columns: readonly CsvColumn[], records: readonly RecordResource[]): string =>
  csvOf(records.map((record) => columns.map(({ valueOf }) => valueOf(record))))

/**
 * Writes rows as RFC 4180 CSV, in which a spreadsheet finds no formula. Numbers are no texts, negative ones neither.
 */
const csvOf = (rows: readonly (readonly unknown[])[]): string =>
  stringify([...rows], {
    record_delimiter: '\r\n',
    // A single line break character would remain unquoted, since lines end with two characters, and what reads the file
    // may take white space off a cell without quotes.
    quoted_match: /[\r\n]|^\s|\s$/,
    cast: { string: guardedCell, number: String, boolean: String },
  })

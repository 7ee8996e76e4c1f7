import { wholePageMax, type RecordResource } from '@kontor/contract'
import type { Answer, LongAnswer, Chunks } from '../../../kernel/implement.ts'
import { joinChunks } from '../../../kernel/invoke/chunks.ts'
import { objectsOf, resolveFields, resolveInclude, streamRecords } from '../../query/index.ts'
import type { FieldIndexes } from '../../indexes/index.ts'
import { requireList } from '../find.ts'
import type { ListReadContext } from '../records.ts'
import { csvLines } from '../../../lib/csv-lines.ts'
import { recordColumns, type RecordColumn } from './columns.ts'
import { askedIn, exportedSet, type ExportContext, type ExportInput } from './question.ts'

type ExportedRecords = {
  readonly columns: readonly RecordColumn[]
  readonly answer: Awaited<ReturnType<typeof streamRecords>>
}

/** Opens the records of a list that the caller may see, which are read while a file is written, and its columns. */
export async function exportedRecords(
  ctx: ExportContext,
  indexes: FieldIndexes,
  limit: number,
  input: ExportInput,
): Promise<ExportedRecords> {
  const found = await requireList(ctx, input)
  const { object } = found
  const asked = askedIn(ctx, object, input)
  const inclusions = await resolveInclude(ctx, object, asked.include, asked.errorLocations.include)
  const shown = resolveFields(ctx, objectsOf(object, inclusions), asked.fields, asked.errorLocations.fields)
  const answer = await streamRecords(ctx as unknown as ListReadContext, indexes, {
    ...asked,
    ...(await exportedSet(ctx, found, input.body.sql, asked.sortOrder)),
    object: object.name,
    page: { offset: 0, limit, total: 'none' },
    path: `${input.workspace}/objects/${object.name}/lists/${input.list}/rows/csv`,
  })
  return { columns: recordColumns(object, inclusions, shown), answer }
}

/** Streams a list as CSV, read while it is sent: memory use does not grow with the list. */
export async function exportRows(
  ctx: ExportContext,
  indexes: FieldIndexes,
  input: ExportInput,
): Promise<Answer<string> | LongAnswer<string>> {
  const limit = ctx.takesChunks ? Number.MAX_SAFE_INTEGER : wholePageMax
  const { columns, answer } = await exportedRecords(ctx, indexes, limit, input)
  const lines = linesOf(columns, answer)
  if (ctx.takesChunks) return { chunks: lines }
  if ('body' in answer && answer.body.links.next !== null)
    throw ctx.fail('invalid_parameter', {
      detail: `The list has more than ${wholePageMax} records: export it over REST, or filter it.`,
    })
  return { body: (await joinChunks(lines)).data.join('') }
}

async function* linesOf(
  columns: readonly RecordColumn[],
  answer: Awaited<ReturnType<typeof streamRecords>>,
): Chunks<string> {
  yield [csvLines([columns.map(({ name }) => name)])]
  if ('body' in answer) yield [rowsOf(columns, answer.body.data)]
  else for await (const records of answer.chunks) yield [rowsOf(columns, records)]
  return {}
}

const rowsOf = (columns: readonly RecordColumn[], records: readonly RecordResource[]): string =>
  csvLines(records.map((record) => columns.map(({ valueOf }) => valueOf(record))))

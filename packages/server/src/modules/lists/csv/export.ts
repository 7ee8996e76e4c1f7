import { wholePageMax, type Input, type lists, type RecordResource } from '@kontor/contract'
import type { Answer, LongAnswer, Portions, WorkspaceReadContext } from '../../../kernel/implement.ts'
import { gathered } from '../../../kernel/portions.ts'
import { querySources, resolveFields, type FieldIndexes } from '../../records/index.ts'
import { requireList } from '../find.ts'
import { listRecordsOf, type ReadContext } from '../records.ts'
import { columnsOf, type CsvColumn } from './columns.ts'
import { csvOf } from './write.ts'

/** Without a cursor none can be wrong. */
type ExportContext = WorkspaceReadContext<'unknown_field' | 'unknown_operator' | 'unknown_value' | 'list_broken'>

/** A list as CSV, read while it is sent: what it takes of memory does not grow with it. */
export async function exportRows(ctx: ExportContext, indexes: FieldIndexes, input: Input<typeof lists.exportRows>): Promise<Answer<string> | LongAnswer<string>> {
  const { object } = await requireList(ctx, input)
  const shown = resolveFields(ctx, [object], input.fields, querySources.fields).get(object.name)
  const limit = ctx.takesPortions ? Number.MAX_SAFE_INTEGER : wholePageMax
  const answer = await listRecordsOf(ctx as unknown as ReadContext, indexes, { ...input, page: { offset: 0, limit, total: 'none' } })
  const lines = linesOf(columnsOf(object, shown), answer)
  if (ctx.takesPortions) return { portions: lines }
  if ('body' in answer && answer.body.links.next !== null) throw ctx.fail('invalid_parameter', { detail: `The list has more than ${wholePageMax} records: ask for it over REST, or narrow it.` })
  return { body: (await gathered(lines)).data.join('') }
}

async function* linesOf(columns: readonly CsvColumn[], answer: Awaited<ReturnType<typeof listRecordsOf>>): Portions<string> {
  yield [csvOf([columns.map(({ name }) => name)])]
  if ('body' in answer) yield [rowsOf(columns, answer.body.data)]
  else for await (const records of answer.portions) yield [rowsOf(columns, records)]
  return {}
}

const rowsOf = (columns: readonly CsvColumn[], records: readonly RecordResource[]): string => csvOf(records.map(({ attributes }) => columns.map(({ valueOf }) => valueOf(attributes))))

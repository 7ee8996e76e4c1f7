import type { RecordResource } from '@kontor/contract'
import { findObject } from '../../objects/index.ts'
import { bodyLocations } from '../../../kernel/error-locations.ts'
import { fromTree } from '../../filters/index.ts'
import { objectsOf, resolveFields, resolveInclude, streamRecords } from '../../query/index.ts'
import { exportedRecords, recordColumns, type RecordColumn } from '../../lists/index.ts'
import type { ExportedRow, ExportedTable } from '../table.ts'
import { requiredOf, type OpenTable, type SourceContext } from './source.ts'

/** The page of an export: everything, or one record. */
const limitOf = { all: Number.MAX_SAFE_INTEGER, one: 1 } as const

/** Opens the records of an object that the creator may see. */
export const openRecords: OpenTable = async (ctx, indexes, body, wanted) => {
  const name = requiredOf(ctx, body, 'object')
  const { object } = await findObject(ctx, name, 'read')
  const fields = Array.isArray(body.fields) ? { [name]: body.fields } : body.fields
  const inclusions = await resolveInclude(ctx, object, body.include, bodyLocations.include)
  const shown = resolveFields(ctx, objectsOf(object, inclusions), fields, bodyLocations.fields)
  const answer = await streamRecords(withoutCursors({ ...ctx, takesChunks: true }), indexes, {
    object: name,
    fields,
    include: body.include,
    sortOrder: body.sort,
    filter: body.filter && fromTree(body.filter, '/filter'),
    search: body.search,
    errorLocations: bodyLocations,
    page: { offset: 0, limit: limitOf[wanted], total: 'none' },
    path: '',
  })
  return tableOf(recordColumns(object, inclusions, shown), answer)
}

/** Opens the records of a list that the creator may see. */
export const openList: OpenTable = async (ctx, indexes, body, wanted) => {
  const { filter, search, sort, fields, include } = body
  const { columns, answer } = await exportedRecords({ ...ctx, takesChunks: true }, indexes, limitOf[wanted], {
    workspace: '',
    object: requiredOf(ctx, body, 'object'),
    list: requiredOf(ctx, body, 'list'),
    body: { filter, search, sort, fields, include },
  })
  return tableOf(columns, answer)
}

/** An export has no cursor, so it cannot raise a cursor error. */
const withoutCursors = (ctx: SourceContext) => ({
  ...ctx,
  fail: (
    code: Parameters<SourceContext['fail']>[0] | 'cursor_mismatch',
    fault?: Parameters<SourceContext['fail']>[1],
  ) => {
    if (code === 'cursor_mismatch') throw new Error('An export has no cursor')
    return ctx.fail(code, fault)
  },
})

type RecordAnswer = Awaited<ReturnType<typeof streamRecords>>

const tableOf = (columns: readonly RecordColumn[], answer: RecordAnswer): ExportedTable => ({
  columns: columns.map(({ name, type }) => ({ name, type })),
  rows: rowsOf(columns, answer),
})

async function* rowsOf(columns: readonly RecordColumn[], answer: RecordAnswer): AsyncGenerator<ExportedRow[]> {
  const rowOf = (record: RecordResource): ExportedRow => ({
    cells: columns.map(({ valueOf }) => valueOf(record)),
    members: record.attributes,
  })
  if ('body' in answer) yield answer.body.data.map(rowOf)
  else for await (const records of answer.chunks) yield records.map(rowOf)
}

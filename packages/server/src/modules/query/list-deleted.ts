import type { FilterQuery, FilterValue, Operator, RecordPage, SortColumn } from '@kontor/contract'
import { isoTime } from '../../kernel/clock.ts'
import { isString, numberOf } from '../../lib/guards.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { pageEnvelope } from '../../lib/page-links.ts'
import { findObject, keptMs, recordColumns, type Column, type DeletedRow } from '../objects/index.ts'
import { presentDeleted } from './present.ts'
import { encodeCursor, type CursorScope } from './cursor.ts'
import { cursorPositionOf } from './parse-list.ts'
import { resolveByColumns, filterCondition, type ResolvedFilter } from '../filters/index.ts'
import { queryLocations } from '../../kernel/error-locations.ts'
import { tupleAfter } from '../../db/expressions.ts'
import type { Knex } from 'knex'
import type { Sql } from '../../db/sql.ts'
import type { ReadTx } from '../../db/tx.ts'
import { whereVisible, type Principal } from '../access/index.ts'
import { readTotal } from '../../db/rows.ts'

type Input = {
  readonly workspace: string
  readonly object: string
  readonly page: RecordPage
  readonly sortOrder?: SortColumn | undefined
  readonly filter?: FilterQuery
}

type Context = WorkspaceReadContext<'cursor_mismatch' | 'unknown_field' | 'unknown_operator' | 'unknown_value'>

const deletedAt: Column = { kind: 'system', name: '_deleted_at', column: 'deleted_at' }

/**
 * Lists deleted records that can be restored and that the caller could see, the last deleted first unless sorted
 * otherwise.
 */
export async function listDeletedRecords(ctx: Context, { workspace, object: name, page, sortOrder, filter }: Input) {
  const { object, principal } = await findObject(ctx, name, 'read')
  if (sortOrder !== undefined && sortOrder.column !== deletedAt.name) {
    throw ctx.fail('unknown_field', {
      detail: `Deleted records can only be sorted by ${deletedAt.name}.`,
      source: { parameter: 'sortOrder[column]' },
      meta: { allowed: [deletedAt.name] },
    })
  }
  const descending = sortOrder?.dir !== 'ASC'
  const set: DeletedSet = {
    workspaceId: ctx.workspace.workspaceId,
    object: object.key,
    principal,
    after: ctx.now - keptMs,
    filter: filter && (await resolveByColumns(ctx, [deletedAt], withSeconds(filter))),
  }
  const scope: CursorScope = { object: object.key, sort: [{ column: deletedAt, descending }], filter }
  const cursorAt = cursorPositionOf(ctx, scope, page, queryLocations.page)
  const beyond = cursorAt && {
    deletedAt: numberOf(cursorAt.cursor.at.values[0]),
    id: cursorAt.cursor.at.id,
    direction: cursorAt.direction,
  }
  const cursorOf = (row: DeletedRow | undefined) =>
    row && encodeCursor(scope, { at: { values: [row.deleted_at], id: row.id }, watermark: undefined })
  return ctx.tx.inOneState(async (tx) => {
    const [found, total] = await Promise.all([
      listDeleted(tx, set, { descending, offset: page.offset, rows: page.limit + 1, beyond }),
      page.total === 'none' ? undefined : countDeleted(tx, set),
    ])
    const rows = beyond?.direction === 'before' ? found.toReversed() : found
    const { shown, before, after } = trim(rows, page, beyond?.direction)
    const envelope = pageEnvelope({
      url: `${ctx.baseUrl}/workspaces/${workspace}/objects/${name}/deleted-resources`,
      query: { sortOrder, filter, page: page.total === 'none' ? { total: 'none' } : {} },
      offset: page.offset,
      limit: page.limit,
      shown: shown.length,
      total,
      after: after ? cursorOf(shown.at(-1)) : undefined,
      before: before ? cursorOf(shown[0]) : undefined,
    })
    return { data: await presentDeleted({ ...ctx, tx }, object, shown), ...envelope }
  })
}

/** Comparisons as numbers have them, by the seconds since 1970 that existing clients send. */
const comparisons: Readonly<Record<string, Operator>> = {
  'Less than': 'Is before',
  'Less than or equal': 'Is on or before',
  'Greater than': 'Is after',
  'Greater than or equal': 'Is on or after',
}

/** The latest second of a year of four digits. */
const secondMax = 253_402_300_799

function withSeconds(filter: NonNullable<FilterQuery>): NonNullable<FilterQuery> {
  const named = filter[deletedAt.name]
  if (typeof named !== 'object' || named === null || Array.isArray(named)) return filter
  const conditions = Object.entries(named).map(([operator, value]) => {
    const seconds = isString(value) && /^\d{1,12}(\.\d+)?$/.test(value) ? Number(value) : value
    const isSeconds = typeof seconds === 'number' && seconds >= 0 && seconds <= secondMax
    return [comparisons[operator] ?? operator, isSeconds ? isoTime(seconds * 1000) : value] as const
  })
  return { ...filter, [deletedAt.name]: Object.fromEntries<FilterValue | FilterValue[]>(conditions) }
}

/** Removes the extra row, which only shows that there are more. */
function trim(rows: readonly DeletedRow[], { limit, offset }: RecordPage, direction: 'after' | 'before' | undefined) {
  const more = rows.length > limit
  if (direction === 'before') return { shown: more ? rows.slice(-limit) : rows, before: more, after: true }
  return { shown: more ? rows.slice(0, limit) : rows, before: offset > 0, after: more }
}

/** A set of deleted records: those of an object that the caller could see, deleted after an instant. */
type DeletedSet = {
  readonly workspaceId: string
  readonly object: string
  readonly principal: Principal
  readonly after: number
  readonly filter: ResolvedFilter | undefined
}

/** Selects the deleted records of a set. Merged records are left out: their content lives on in another record. */
function deleted(sql: Sql, { workspaceId, object, principal, after, filter }: DeletedSet): Knex.QueryBuilder {
  const query = whereVisible(
    sql,
    sql
      .knex('record as r')
      .where({ 'r.workspace_id': workspaceId, 'r.object': object })
      .where('r.deleted_at', '>', after)
      .whereNotExists(
        sql
          .knex('merged_record as m')
          .select('m.merged_id')
          .where('m.workspace_id', workspaceId)
          .where('m.merged_id', sql.knex.ref('r.id')),
      ),
    'r',
    principal,
  )
  return filter === undefined ? query : query.where(filterCondition(sql, filter))
}

type DeletedSlice = {
  readonly descending: boolean
  readonly offset: number
  readonly rows: number
  /** The row beyond which the slice begins, in the order of the list (`after`) or against it. */
  readonly beyond:
    | { readonly deletedAt: number; readonly id: string; readonly direction: 'after' | 'before' }
    | undefined
}

/** Lists deleted records by the time of their deletion; backwards from a cursor, the nearest to it first. */
const listDeleted = (
  tx: ReadTx,
  set: DeletedSet,
  { descending, offset, rows, beyond }: DeletedSlice,
): Promise<DeletedRow[]> =>
  tx.query(
    (sql) => {
      const order = descending === (beyond?.direction !== 'before') ? 'desc' : 'asc'
      const query = deleted(sql, set)
        .select([...recordColumns, 'deleted_at', 'deleted_by'].map((column) => `r.${column}`))
        .orderBy([
          { column: 'r.deleted_at', order },
          { column: 'r.id', order },
        ])
        .limit(rows)
      if (beyond === undefined) return offset > 0 ? query.offset(offset) : query
      return query.where(
        tupleAfter(sql, ['r.deleted_at', 'r.id'], [beyond.deletedAt, beyond.id], order === 'asc' ? 'after' : 'before'),
      )
    },
    { heavy: true },
  )

const countDeleted = (tx: ReadTx, set: DeletedSet): Promise<number> =>
  readTotal(tx, (sql) => deleted(sql, set).count('* as total'))

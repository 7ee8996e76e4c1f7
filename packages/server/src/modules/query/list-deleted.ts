import type { FilterQuery, FilterValue, Operator, RecordPage, SortColumn } from '@kontor/contract'
import { isoTime } from '../../kernel/clock.ts'
import { isString, numberOf } from '../../lib/guards.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { pageEnvelope } from '../../lib/page-links.ts'
import { findObject, type Column, keptMs, type DeletedRow } from '../objects/index.ts'
import { presentDeleted } from './present.ts'
import { encodeCursor, type CursorScope } from './cursor.ts'
import { cursorPositionOf } from './parse-list.ts'
import { countDeleted, listDeleted, type DeletedSet } from './deleted.ts'
import { resolveByColumns } from './resolve-filter.ts'
import { queryLocations } from './error-locations.ts'

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

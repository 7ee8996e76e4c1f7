import { deletedAfter, isLive, recordsWithIds } from '../../db/expressions.ts'
import { finder, lister, readColumn } from '../../db/rows.ts'
import { param, statement } from '../../db/statement.ts'
import type { QueryOptions, ReadTx, Tx } from '../../db/tx.ts'
import { whereVisible, type Principal } from '../access/index.ts'
import { keepFeedEnds, type FeedEnd } from '../feeds/index.ts'
import { recordColumns, type RecordRow } from './row.ts'

/** Finds a live record, visible or hidden: the caller checks it with the access rules. */
export const findRecord = finder<[workspaceId: string, object: string, id: string], RecordRow>(
  (sql, workspaceId, object, id) =>
    sql
      .knex('record')
      .select(...recordColumns)
      .where({ workspace_id: workspaceId, id, object })
      .where(isLive(sql, 'record')),
)

/** Looked up one by one: of records that are new the planner knows nothing, and would read all of an object. */
const byIds = statement<{ workspace_id: string; object: string; ids: readonly string[] }, RecordRow>((sql) =>
  sql.knex
    .select(recordColumns.map((column) => `r.${column}`))
    .from(recordsWithIds(sql, param('ids'), param('workspace_id')))
    .where('r.object', param('object'))
    .whereNull('r.deleted_at'),
)

/** Lists live records by id, in no order, visible or hidden. */
export const listLive = (
  tx: ReadTx,
  workspaceId: string,
  object: string,
  ids: readonly string[],
  options?: QueryOptions,
): Promise<RecordRow[]> => tx.all(byIds, { workspace_id: workspaceId, object, ids: [...new Set(ids)] }, options)

/** Lists records by id that were deleted after an instant, in no order, visible or hidden. */
export const listGone = lister<[workspaceId: string, object: string, ids: readonly string[], after: number], RecordRow>(
  (sql, workspaceId, object, ids, after) =>
    sql
      .knex('record')
      .select(...recordColumns)
      .where({ workspace_id: workspaceId, object })
      .where(sql.dialect.oneOf('id', ids))
      .where(deletedAfter(sql, 'record', after)),
)

type LockedRow = RecordRow & { readonly feed_end: FeedEnd | null }

const lockFor = (purpose: 'change' | 'delete') =>
  statement<{ workspace_id: string; object: string; ids: readonly string[] }, LockedRow>((sql) =>
    sql.dialect.locked(
      sql
        .knex('record')
        .select(...recordColumns, 'feed_end')
        .where({ workspace_id: param('workspace_id'), object: param('object') })
        .where(sql.dialect.oneOf('id', param('ids')))
        .where(isLive(sql, 'record'))
        .orderBy('id'),
      purpose,
    ),
  )

const locks = { change: lockFor('change'), delete: lockFor('delete') }

/** Locks live records by id until the transaction ends, in the order of their ids. */
export async function lockRecords(
  tx: Tx,
  workspaceId: string,
  object: string,
  ids: readonly string[],
  purpose: 'change' | 'delete',
): Promise<RecordRow[]> {
  const rows = await tx.all(locks[purpose], { workspace_id: workspaceId, object, ids })
  keepFeedEnds(tx, rows)
  return rows
}

/**
 * Lists which of the given ids are live records that the caller may see. With `refer`, these cannot be deleted before
 * the transaction ends.
 */
export async function listVisibleIds(
  tx: ReadTx,
  workspaceId: string,
  object: string,
  ids: readonly string[],
  principal: Principal,
  purpose?: 'refer',
): Promise<Set<string>> {
  return new Set(
    await readColumn(tx, (sql) => {
      const live = sql
        .knex('record as r')
        .select('r.id')
        .where({ 'r.workspace_id': workspaceId, 'r.object': object })
        .where(sql.dialect.oneOf('r.id', ids))
        .where(isLive(sql, 'r'))
      const visible = whereVisible(sql, live, 'r', principal)
      return purpose === undefined ? visible : sql.dialect.locked(visible, purpose)
    }),
  )
}

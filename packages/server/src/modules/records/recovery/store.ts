import type { Knex } from 'knex'
import type { RowOf } from '../../../db/columns.ts'
import { deleteSome } from '../../../db/delete-some.ts'
import { deletedAfter } from '../../../db/expressions.ts'
import { forgetLinkCounts } from '../../counters/index.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { workspacesOf } from '../../../db/workspaces.ts'
import { keptMs, recordColumns, type LinkRow, type RecordRow } from '../../objects/index.ts'
import { rowsOf, readColumn } from '../../../db/rows.ts'

/** Locks records by id that were deleted after an instant, exclusively until the transaction ends. */
export const lockDeleted = (
  tx: Tx,
  workspaceId: string,
  object: string,
  ids: readonly string[],
  after: number,
): Promise<RecordRow[]> =>
  tx.query((sql) =>
    sql.dialect.locked(
      sql
        .knex('record')
        .select(...recordColumns)
        .where({ workspace_id: workspaceId, object })
        .where(sql.dialect.oneOf('id', ids))
        .where(deletedAfter(sql, 'record', after))
        .orderBy('id'),
      'delete',
    ),
  )

/** A record at the other end of a link. */
export type EndRow = Pick<RowOf<'record'>, 'id' | 'deleted_at'>

/**
 * Locks records of any object, live or deleted: they can neither be deleted nor restored before the transaction ends.
 */
export const lockEnds = (tx: Tx, workspaceId: string, ids: readonly string[]): Promise<EndRow[]> =>
  tx.query(({ knex, dialect }) =>
    dialect.locked(
      knex('record')
        .select('id', 'deleted_at')
        .where('workspace_id', workspaceId)
        .where(dialect.oneOf('id', ids))
        .orderBy('id'),
      'refer',
    ),
  )

/** Lists links that wait for records, in a fixed order: if several fit, the first is taken. */
export const listHiddenLinks = (tx: ReadTx, workspaceId: string, hiddenBy: readonly string[]): Promise<LinkRow[]> =>
  tx.query(({ knex, dialect }) =>
    knex('link')
      .select('relationship', 'from_id', 'to_id')
      .where('workspace_id', workspaceId)
      .where(dialect.oneOf('hidden_by', hiddenBy))
      .orderBy(['relationship', 'from_id', 'to_id']),
  )

/** A merged record, and the target that its content lives on in. */
export type MergedRow = Pick<RowOf<'merged_record'>, 'merged_id' | 'target_id'>

export const listMerged = rowsOf<MergedRow>('merged_record', ['merged_id', 'target_id']).listAmong(
  ['workspace_id'],
  'merged_id',
)

/** Records the target of merged records, their owners, and who merged them. */
export const insertMerged = (
  tx: Tx,
  workspaceId: string,
  merged: readonly Pick<RecordRow, 'id' | 'owner_id'>[],
  targetId: string,
  by: string,
): Promise<void> =>
  tx.insert(
    'merged_record',
    merged.map(({ id, owner_id }) => ({
      workspace_id: workspaceId,
      merged_id: id,
      target_id: targetId,
      owner_id,
      merged_by: by,
    })),
  )

/** Redirects earlier merges into records to the target that these are merged into themselves. */
export const redirectMerged = (
  tx: Tx,
  workspaceId: string,
  ids: readonly string[],
  targetId: string,
): Promise<number> =>
  tx.change(({ knex, dialect }) =>
    knex('merged_record')
      .update({ target_id: targetId })
      .where('workspace_id', workspaceId)
      .where(dialect.oneOf('target_id', ids)),
  )

/** A link, and the deleted record that it waits for, if any. */
export type HideableLink = LinkRow & { readonly hidden_by: string | null }

/** Lists all links of some relationships at one of their ends, hidden ones included. */
export const listLinksAt = (
  tx: ReadTx,
  workspaceId: string,
  relationships: readonly string[],
  end: 'from_id' | 'to_id',
  ids: readonly string[],
): Promise<HideableLink[]> =>
  tx.query(({ knex, dialect }) =>
    knex('link')
      .select('relationship', 'from_id', 'to_id', 'hidden_by')
      .where('workspace_id', workspaceId)
      .where(dialect.bothOf(['relationship', relationships], [end, ids])),
  )

/** Lists the documents of records, deleted ones included. */
export const listDocuments = rowsOf<Pick<RecordRow, 'id' | 'data'>>('record', ['id', 'data']).listAmong(
  ['workspace_id'],
  'id',
)

const expired = (knex: Knex, now: number): Knex.QueryBuilder => knex('record').where('deleted_at', '<=', now - keptMs)

/** The workspaces with deleted records whose retention has expired. */
export const listExpiredWorkspaces = (tx: ReadTx, now: number): Promise<string[]> =>
  workspacesOf(tx, ({ knex }) => expired(knex, now))

/**
 * Locks deleted records whose retention has expired, the longest deleted first, skipping those that another node has
 * locked; returns their ids.
 */
export async function lockExpired(tx: Tx, workspaceId: string, now: number, limit: number): Promise<string[]> {
  return readColumn(tx, ({ knex, dialect }) =>
    dialect.locked(
      expired(knex, now).select('id').where('workspace_id', workspaceId).orderBy('deleted_at').limit(limit),
      'claim',
    ),
  )
}

/** The owner of a record that was merged into another, and who merged it. */
export type FormerOwner = { readonly target_id: string; readonly owner_id: string; readonly merged_by: string | null }

export const listFormerOwners = (
  tx: ReadTx,
  workspaceId: string,
  targetIds: readonly string[],
): Promise<FormerOwner[]> =>
  tx.query(({ knex, dialect }) =>
    knex('merged_record')
      .distinct('target_id', 'owner_id', 'merged_by')
      .where('workspace_id', workspaceId)
      .where(dialect.oneOf('target_id', targetIds))
      .whereNotNull('owner_id'),
  )

/**
 * Removes the links that wait for records, at most so many; returns their number. Deleted records have no other links.
 */
export const deleteWaitingLinks = (
  tx: Tx,
  workspaceId: string,
  ids: readonly string[],
  rowsMax: number,
): Promise<number> =>
  deleteSome(tx, workspaceId, {
    table: 'link',
    key: ['relationship', 'from_id', 'to_id'],
    column: 'hidden_by',
    values: ids,
    rowsMax,
  })

/** Lists the relationships of a workspace that have links, by one probe of an index for each. */
export async function listRelationships(tx: ReadTx, workspaceId: string): Promise<string[]> {
  const found: string[] = []
  for (let last: string | undefined = ''; last !== undefined;) {
    const after: string = last
    const [next] = await readColumn(tx, ({ knex }) =>
      knex('link')
        .select('relationship as id')
        .where('workspace_id', workspaceId)
        .where('relationship', '>', after)
        .orderBy('relationship')
        .limit(1),
    )
    if (next !== undefined) found.push(next)
    last = next
  }
  return found
}

/**
 * Removes the links of records of some relationships at one of their ends, with their counters, at most so many;
 * returns their number.
 */
export async function deleteLinksAt(
  tx: Tx,
  workspaceId: string,
  relationships: readonly string[],
  end: 'from_id' | 'to_id',
  ids: readonly string[],
  rowsMax: number,
): Promise<number> {
  const gone = await tx.query<Omit<RowOf<'link'>, 'hidden_by'>>(({ knex, dialect }) =>
    knex('link')
      .select('workspace_id', 'relationship', 'from_id', 'to_id')
      .where('workspace_id', workspaceId)
      .where(dialect.bothOf(['relationship', relationships], [end, ids]))
      .limit(rowsMax),
  )
  await tx.deleteByKey('link', gone)
  await forgetLinkCounts(tx, workspaceId, gone)
  return gone.length
}

/**
 * Removes the entries of merges into records, at most so many; returns their number. Entries of merges of these records
 * stay.
 */
export const deleteMergedInto = (
  tx: Tx,
  workspaceId: string,
  ids: readonly string[],
  rowsMax: number,
): Promise<number> =>
  deleteSome(tx, workspaceId, {
    table: 'merged_record',
    key: ['merged_id'],
    column: 'target_id',
    values: ids,
    rowsMax,
  })

/** Removes deleted records for good. */
export const deletePurged = (tx: Tx, workspaceId: string, ids: readonly string[]): Promise<number> =>
  tx.change(({ knex, dialect }) =>
    knex('record').where('workspace_id', workspaceId).where(dialect.oneOf('id', ids)).delete(),
  )

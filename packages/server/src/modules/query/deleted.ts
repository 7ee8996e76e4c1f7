import { tupleAfter } from '../../db/expressions.ts'
import type { Knex } from 'knex'
import type { Sql } from '../../db/sql.ts'
import type { ReadTx } from '../../db/tx.ts'
import { whereVisible, type Principal } from '../access/index.ts'
import type { ResolvedFilter } from './filter.ts'
import { filterCondition } from './filter-sql.ts'
import { recordColumns, type DeletedRow } from '../objects/index.ts'

/** A set of deleted records: those of an object that the caller could see, deleted after an instant. */
export type DeletedSet = {
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
export const listDeleted = (
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

export async function countDeleted(tx: ReadTx, set: DeletedSet): Promise<number> {
  const [row] = await tx.query<{ total: number }>((sql) => deleted(sql, set).count('* as total'), { heavy: true })
  return row?.total ?? 0
}

import { aliased, compare, exists, isNull, isNotTrue, tupleAfter } from '../../../db/expressions.ts'
import type { Knex } from 'knex'
import type { Sql } from '../../../db/sql.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { whereVisible, type Principal } from '../../access/index.ts'
import { recordColumns, type RecordRow } from '../../objects/index.ts'
import type { Field } from '../../fields/index.ts'
import { readTotal } from '../../../db/rows.ts'

/** The records of an object that a principal may see; `object` is its storage key. */
export type Visible = { readonly workspaceId: string; readonly object: string; readonly principal: Principal<'read'> }

const visibleRecords = (sql: Sql, { workspaceId, object, principal }: Visible): Knex.QueryBuilder =>
  whereVisible(
    sql,
    sql.knex('record as r').where({ 'r.workspace_id': workspaceId, 'r.object': object }).whereNull('r.deleted_at'),
    'r',
    principal,
  )

/** A position in the order of creation. */
export type RecordPlace = Pick<RecordRow, 'created_at' | 'id'>

const inOrderOf = (
  sql: Sql,
  query: Knex.QueryBuilder,
  after: RecordPlace | undefined,
  rows: number,
): Knex.QueryBuilder => {
  const ordered = query.orderBy(['r.created_at', 'r.id']).limit(rows)
  return after === undefined
    ? ordered
    : ordered.where(tupleAfter(sql, ['r.created_at', 'r.id'], [after.created_at, after.id], 'after'))
}

/** The next visible records, in the order of their creation. */
export const listVisibleAfter = (
  tx: ReadTx,
  visible: Visible,
  after: RecordPlace | undefined,
  rows: number,
): Promise<RecordRow[]> =>
  tx.query(
    (sql) =>
      inOrderOf(sql, visibleRecords(sql, visible).select(recordColumns.map((column) => `r.${column}`)), after, rows),
    { heavy: true },
  )

/** The same with the values of some fields only, by their storage keys: records may be large. */
export const listValuesAfter = (
  tx: ReadTx,
  visible: Visible,
  keys: readonly string[],
  after: RecordPlace | undefined,
  rows: number,
): Promise<(RecordPlace & Pick<RecordRow, 'data'>)[]> =>
  tx.query(
    (sql) =>
      inOrderOf(
        sql,
        visibleRecords(sql, visible)
          .select('r.created_at', 'r.id')
          .select(aliased(sql, sql.dialect.jsonPick('r.data', keys), 'data')),
        after,
        rows,
      ),
    { heavy: true },
  )

const count = (tx: ReadTx, build: (sql: Sql) => Knex.QueryBuilder): Promise<number> =>
  readTotal(tx, (sql) => build(sql).count('* as total'))

/** Counts the visible records with any value under a key. */
export const countWithValue = (tx: ReadTx, visible: Visible, key: string): Promise<number> =>
  count(tx, (sql) =>
    visibleRecords(sql, visible).where(isNotTrue(sql, isNull(sql, sql.dialect.jsonText('r.data', [key])))),
  )

/** Counts the visible records with an option of a select or of a multi-select. */
export const countWithOption = (tx: ReadTx, visible: Visible, { key, type }: Field, option: string): Promise<number> =>
  count(tx, (sql) => {
    const { knex, dialect } = sql
    if (type.comparedAs !== 'items')
      return visibleRecords(sql, visible).where(compare(sql, dialect.jsonText('r.data', [key]), '=', option))
    const items = aliased(sql, dialect.jsonItems('r.data', [key, ...type.path]), 'items')
    return visibleRecords(sql, visible).where(
      exists(sql, knex.select('items.item').from(items).where('items.item', option)),
    )
  })

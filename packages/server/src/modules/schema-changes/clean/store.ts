import { isNull, isNotTrue, tupleAfter } from '../../../db/expressions.ts'
import {
  forgetCounts,
  forgetLinkCounts,
  privateCounter,
  publicCounter,
  unorderedCounter,
} from '../../counters/index.ts'
import { deleteStatesOf } from '../../indexes/index.ts'
import type { RowOf, TableName } from '../../../db/columns.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'

/** The records of a pass: live ones in the order of their creation, or deleted ones in that of their deletion. */
export type Pass = 'live' | 'deleted'

/** The position after the last cleaned record. */
export type CleaningPosition = { readonly at: number; readonly id: string }

const beginning: CleaningPosition = { at: -1, id: '00000000-0000-0000-0000-000000000000' }

const orderOf = { live: 'created_at', deleted: 'deleted_at' } as const

/** The next records of an object, by its storage key. */
export const listPositions = (
  tx: ReadTx,
  workspaceId: string,
  object: string,
  pass: Pass,
  after: CleaningPosition = beginning,
  rows = 500,
): Promise<CleaningPosition[]> =>
  tx.query<CleaningPosition>(
    (sql) => {
      const column = orderOf[pass]
      const query = sql
        .knex('record')
        .select(`${column} as at`, 'id')
        .where({ workspace_id: workspaceId, object })
        .where(tupleAfter(sql, [column, 'id'], [after.at, after.id], 'after'))
        .orderBy([column, 'id'])
        .limit(rows)
      return pass === 'live' ? query.whereNull('deleted_at') : query.whereNotNull('deleted_at')
    },
    { heavy: true },
  )

/** Removes a member from the documents of records silently: no version and no event, since no schema shows it. */
export const removeMember = (tx: Tx, workspaceId: string, ids: readonly string[], key: string): Promise<number> =>
  tx.change((sql) =>
    sql
      .knex('record')
      .where('workspace_id', workspaceId)
      .where(sql.dialect.oneOf('id', ids))
      .where(isNotTrue(sql, isNull(sql, sql.dialect.jsonText('data', [key]))))
      .update({ data: sql.dialect.jsonRemove('data', key) }),
  )

const keysOf = {
  unique_key: ['workspace_id', 'field', 'key_value'],
  field_text: ['workspace_id', 'field', 'is_null', 'text_value', 'record_id'],
  field_number: ['workspace_id', 'field', 'is_null', 'number_value', 'record_id'],
  field_gram: ['workspace_id', 'field', 'record_id'],
} as const satisfies Partial<Record<TableName, readonly string[]>>

/** Deletes some links of a relationship, with the counters of its records; returns how many there were. */
export async function deleteRelationship(
  tx: Tx,
  workspaceId: string,
  relationship: string,
  rowsMax: number,
): Promise<number> {
  const links = await tx.query<Omit<RowOf<'link'>, 'hidden_by'>>(({ knex }) =>
    knex('link')
      .select('workspace_id', 'relationship', 'from_id', 'to_id')
      .where({ workspace_id: workspaceId, relationship })
      .limit(rowsMax),
  )
  await tx.deleteByKey('link', links)
  await forgetLinkCounts(tx, workspaceId, links)
  return links.length
}

/** Deletes some rows of a table under one storage name; returns how many there were. */
export async function deleteNamed(
  tx: Tx,
  workspaceId: string,
  table: keyof typeof keysOf,
  name: string,
  rowsMax: number,
): Promise<number> {
  const rows = await tx.query<Partial<RowOf<keyof typeof keysOf>>>(({ knex }) =>
    knex(table)
      .select([...keysOf[table]])
      .where({ workspace_id: workspaceId, field: name })
      .limit(rowsMax),
  )
  await tx.deleteByKey(table, rows)
  return rows.length
}

/** Deletes the counters and the index states of an object. */
export async function deleteCounts(tx: Tx, workspaceId: string, object: string): Promise<void> {
  await forgetCounts(tx, workspaceId, [object, publicCounter(object), privateCounter(object), unorderedCounter(object)])
  await deleteStatesOf(tx, workspaceId, object)
}

import type { RowOf } from '../../../db/columns.ts'
import { tupleAfter } from '../../../db/expressions.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { compileObject, recordColumns, type RecordRow, type ObjectModel } from '../../objects/index.ts'
import { readSchemas } from '../../schemas/index.ts'

export type StoredRecord = RecordRow & { readonly object: string; readonly deleted_at: number | null }

/** Lists the next records of a workspace in the order of their ids, deleted ones too. */
export const listRecordsAfter = (
  tx: ReadTx,
  workspaceId: string,
  after: string | undefined,
  rows: number,
): Promise<StoredRecord[]> =>
  tx.query<StoredRecord>(({ knex }) => {
    const records = knex('record')
      .select(...recordColumns, 'object', 'deleted_at')
      .where('workspace_id', workspaceId)
    if (after !== undefined) records.where('id', '>', after)
    return records.orderBy('id').limit(rows)
  })

/** Lists some records whatever their state; with `lock`, they stay as they are until the transaction ends. */
export const listStored = (
  tx: ReadTx,
  workspaceId: string,
  ids: readonly string[],
  lock = false,
): Promise<StoredRecord[]> =>
  tx.query<StoredRecord>(({ knex, dialect }) => {
    const records = knex('record')
      .select(...recordColumns, 'object', 'deleted_at')
      .where('workspace_id', workspaceId)
      .where(dialect.oneOf('id', ids))
      .orderBy('id')
    return lock ? dialect.locked(records, 'delete') : records
  })

/** The tables of side rows, with the columns that a record determines. */
export const sideColumns = {
  field_text: ['field', 'is_null', 'text_value', 'record_id', 'visibility'],
  field_number: ['field', 'is_null', 'number_value', 'record_id', 'visibility'],
  field_gram: ['field', 'record_id', 'created_at', 'is_known', 'known_text'],
  unique_key: ['field', 'key_value', 'record_id'],
  search_document: ['record_id', 'object', 'created_at', 'title_text', 'document_text'],
} as const

export type SideTable = keyof typeof sideColumns

export const sideTables = ['field_text', 'field_number', 'field_gram', 'unique_key', 'search_document'] as const

/** A side row by its columns; a search document belongs to no field. */
export type SideRow = Readonly<Record<string, unknown>> & { readonly record_id: string; readonly field?: string }

/** Ids of records between two; without an end, all that follow. */
export type IdRange = { readonly after: string | undefined; readonly until: string | undefined }

/** Lists the side rows of all records in a range of ids, whether or not these exist. */
export const listSideRows = (
  tx: ReadTx,
  table: SideTable,
  workspaceId: string,
  { after, until }: IdRange,
): Promise<SideRow[]> =>
  tx.query<SideRow>(({ knex }) => {
    const rows = knex(table)
      .select(...sideColumns[table])
      .where('workspace_id', workspaceId)
    if (after !== undefined) rows.where('record_id', '>', after)
    if (until !== undefined) rows.where('record_id', '<=', until)
    return rows
  })

/** Lists the side rows of one record. */
export const listSideRowsOf = (tx: ReadTx, table: SideTable, workspaceId: string, id: string): Promise<SideRow[]> =>
  tx.query<SideRow>(({ knex }) =>
    knex(table)
      .select(...sideColumns[table])
      .where({ workspace_id: workspaceId, record_id: id }),
  )

/** Deletes one side row, which is known by all of its columns. */
export const deleteSideRow = (tx: Tx, table: SideTable, workspaceId: string, row: SideRow): Promise<number> =>
  tx.change(({ knex }) =>
    knex(table)
      .where({ workspace_id: workspaceId, ...row })
      .delete(),
  )

export type LinkCount = { readonly relationship: string; readonly id: string; readonly links: number }

/** Counts the live links of some relationships at records, by the end at which these are. */
export const countLinksAt = (
  tx: ReadTx,
  workspaceId: string,
  end: 'from_id' | 'to_id',
  relationships: readonly string[],
  ids: readonly string[],
): Promise<LinkCount[]> =>
  tx.query(({ knex, dialect }) =>
    knex('link')
      .select('relationship', `${end} as id`)
      .count('* as links')
      .where('workspace_id', workspaceId)
      .where(dialect.bothOf(['relationship', relationships], [end, ids]))
      .whereNull('hidden_by')
      .groupBy('relationship', end),
  )

type StoredLink = Omit<RowOf<'link'>, 'workspace_id'>

/** Lists the next links of a workspace in the order of their key. */
export const listLinksAfter = (
  tx: ReadTx,
  workspaceId: string,
  after: readonly string[] | undefined,
  rows: number,
): Promise<StoredLink[]> =>
  tx.query<StoredLink>((sql) => {
    const key = ['relationship', 'from_id', 'to_id'] as const
    const links = sql
      .knex('link')
      .select(...key, 'hidden_by')
      .where('workspace_id', workspaceId)
    if (after !== undefined) links.where(tupleAfter(sql, key, after, 'after'))
    return links.orderBy([...key]).limit(rows)
  })

export type RecordTotals = { readonly total: number; readonly shown: number | null; readonly private: number | null }

/** Counts the live records of an object, those that all members see, and those that are private. */
export async function countRecords(
  tx: ReadTx,
  workspaceId: string,
  object: string,
  hidden: number,
): Promise<RecordTotals> {
  const [counted] = await tx.query<RecordTotals>(
    (sql) =>
      sql`select count(*) as total, sum(case when visibility > 0 then 1 else 0 end) as shown,
        sum(case when visibility = ${hidden} then 1 else 0 end) as private
      from record where workspace_id = ${workspaceId} and object = ${object} and deleted_at is null`,
    { heavy: 'scan' },
  )
  return counted ?? { total: 0, shown: 0, private: 0 }
}

/**
 * Reads the objects of a workspace by the keys of their records, without those whose schema is being changed: their
 * records fit the old schema or the new one until the change ends.
 */
export async function readSettledObjects(tx: ReadTx, workspaceId: string): Promise<ReadonlyMap<string, ObjectModel>> {
  const { schemas } = await readSchemas(tx, workspaceId)
  const objects = [...schemas.values()]
    .filter(({ clearing }) => clearing === undefined)
    .map(compileObject)
    .filter(({ evolution }) => evolution === undefined)
  return new Map(objects.map((object) => [object.key, object]))
}

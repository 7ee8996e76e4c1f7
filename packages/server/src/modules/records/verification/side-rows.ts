import type { RowOf } from '../../../db/columns.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import type { Discrepancy, Verification } from '../../../kernel/verification.ts'
import { indexedColumn, readIndexed } from '../../indexes/index.ts'
import { uniqueName, type ObjectModel } from '../../objects/index.ts'
import { deleteSideRows } from '../store.ts'
import { uniqueRows } from '../write/side-rows.ts'
import {
  readSettledObjects,
  deleteSideRow,
  listRecordsAfter,
  listSideRows,
  listSideRowsOf,
  listStored,
  sideColumns,
  sideTables,
  type SideRow,
  type SideTable,
  type StoredRecord,
} from './store.ts'

/** Some 30 ms of reading; on Postgres it locks nothing. */
const portionRecords = 200

type IndexedObjects = Awaited<ReturnType<typeof readIndexed>>

type Indexed = IndexedObjects extends ReadonlyMap<string, infer One> ? One : never

type ExpectedRows = { readonly [T in SideTable]: readonly RowOf<T>[] }

type Rows = Readonly<Record<SideTable, readonly SideRow[]>>

const noRows: Rows = { field_text: [], field_number: [], field_gram: [], unique_key: [], search_document: [] }

/** Verifies that index rows, unique values and search documents are those that the records give. */
export const sideRowVerification: Verification = {
  name: 'Index rows',
  async verify(tx, { workspaceId, after }) {
    const records = await listRecordsAfter(tx, workspaceId, after, portionRecords)
    const isLast = records.length < portionRecords
    const range = { after, until: isLast ? undefined : records.at(-1)?.id }
    const objects = await readIndexedOf(tx, workspaceId, records)
    const stored = await Promise.all(sideTables.map((table) => listSideRows(tx, table, workspaceId, range)))
    const byRecord = stored.map((rows) => Map.groupBy(rows, ({ record_id }) => record_id))
    const known = new Map(records.map((record) => [record.id, record]))
    const ids = new Set([...known.keys(), ...byRecord.flatMap((rows) => [...rows.keys()])])
    return {
      checked: records.length,
      discrepancies: [...ids].flatMap((id) => {
        const rows = rowsBy((_table, at) => byRecord[at]?.get(id) ?? [])
        return compareRecord(workspaceId, id, known.get(id), objects, rows)
      }),
      next: range.until,
    }
  },
}

const rowsBy = (rowsOf: (table: SideTable, at: number) => readonly SideRow[]): Rows => ({
  ...noRows,
  ...Object.fromEntries(sideTables.map((table, at) => [table, rowsOf(table, at)])),
})

async function readIndexedOf(
  tx: ReadTx,
  workspaceId: string,
  records: readonly StoredRecord[],
): Promise<IndexedObjects> {
  const keys = new Set(records.map(({ object }) => object))
  const objects = [...(await readSettledObjects(tx, workspaceId)).values()].filter(({ key }) => keys.has(key))
  return readIndexed(tx, workspaceId, objects)
}

function compareRecord(
  workspaceId: string,
  id: string,
  record: StoredRecord | undefined,
  objects: IndexedObjects,
  stored: Rows,
): Discrepancy[] {
  if (record === undefined || record.deleted_at !== null) {
    const tables = sideTables.filter((table) => stored[table].length > 0)
    if (tables.length === 0) return []
    const state = record === undefined ? 'does not exist' : 'is deleted'
    const detail = `record ${id} ${state}, but has rows in ${tables.join(', ')}`
    return [{ detail, repair: (tx) => dropRows(tx, workspaceId, id) }]
  }
  const indexed = objects.get(record.object)
  if (indexed === undefined) return []
  const { missing, wrong } = differencesOf(workspaceId, indexed, record, stored)
  const tables = sideTables.filter((table) => missing[table].length > 0 || wrong[table].length > 0)
  if (tables.length === 0) return []
  const detail = `${indexed.object.name} ${id} differs from its rows in ${tables.join(', ')}`
  return [{ detail, repair: (tx) => rebuild(tx, workspaceId, id) }]
}

type Differences = { readonly missing: ExpectedRows; readonly wrong: Rows }

/** Rows of fields that the schema no longer has are left out: a job deletes them. */
function differencesOf(
  workspaceId: string,
  { object, indexes, hasDocuments, rowsOf }: Indexed,
  record: StoredRecord,
  stored: Rows,
): Differences {
  const expected = { ...rowsOf(record), unique_key: uniqueRows(workspaceId, object, { ...record, path: [] }) }
  const fields = fieldsOf(object, indexes)
  const absent = <R extends AnyRow>(table: SideTable, rows: readonly R[]): R[] => {
    const there = new Set(stored[table].map((row) => textOf(table, row)))
    return rows.filter((row) => !there.has(textOf(table, row)))
  }
  const wrong = rowsBy((table) => {
    const wanted = new Set(expected[table].map((row) => textOf(table, row)))
    return stored[table].filter((row) => isOurs(fields, table, row) && !wanted.has(textOf(table, row)))
  })
  return {
    missing: {
      field_text: absent('field_text', expected.field_text),
      field_number: absent('field_number', expected.field_number),
      field_gram: absent('field_gram', expected.field_gram),
      unique_key: absent('unique_key', expected.unique_key),
      search_document: hasDocuments ? absent('search_document', expected.search_document) : [],
    },
    wrong: hasDocuments ? wrong : { ...wrong, search_document: [] },
  }
}

type AnyRow = Readonly<Record<string, unknown>>

const textOf = (table: SideTable, row: AnyRow): string =>
  JSON.stringify(sideColumns[table].map((column): unknown => row[column]))

type Fields = Readonly<Partial<Record<SideTable, ReadonlySet<unknown>>>>

const tableOf = { text: 'field_text', number: 'field_number', grams: 'field_gram' } as const

function fieldsOf(object: ObjectModel, indexes: Indexed['indexes']): Fields {
  const byTable = Map.groupBy(indexes, ({ kind }) => tableOf[kind])
  const named = [...byTable].map(([table, some]): [string, ReadonlySet<unknown>] => [
    table,
    new Set(some.map(({ column }) => indexedColumn(object, column))),
  ])
  return { ...Object.fromEntries(named), unique_key: new Set(object.uniques.map((one) => uniqueName(object, one))) }
}

const isOurs = (fields: Fields, table: SideTable, { field }: SideRow): boolean =>
  table === 'search_document' || fields[table]?.has(field) === true

async function dropRows(tx: Tx, workspaceId: string, id: string): Promise<void> {
  const [record] = await listStored(tx, workspaceId, [id], true)
  if (record === undefined || record.deleted_at !== null) await deleteSideRows(tx, workspaceId, [id])
}

/** Rebuilds the side rows of a record, which stays as it is until the transaction ends. */
async function rebuild(tx: Tx, workspaceId: string, id: string): Promise<void> {
  const [record] = await listStored(tx, workspaceId, [id], true)
  if (record === undefined || record.deleted_at !== null) return
  const indexed = (await readIndexedOf(tx, workspaceId, [record])).get(record.object)
  if (indexed === undefined) return
  const found = await Promise.all(sideTables.map((table) => listSideRowsOf(tx, table, workspaceId, id)))
  const stored = rowsBy((_table, at) => found[at] ?? [])
  const { missing, wrong } = differencesOf(workspaceId, indexed, record, stored)
  for (const table of sideTables) {
    for (const row of wrong[table]) await deleteSideRow(tx, table, workspaceId, row)
    // A unique value that another record has by now stays with it.
    await tx.insertNew(table, missing[table], ['record_id'])
  }
}

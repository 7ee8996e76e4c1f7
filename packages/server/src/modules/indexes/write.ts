import { LRUCache } from 'lru-cache'
import type { RowOf } from '../../db/columns.ts'
import type { Sql } from '../../db/sql.ts'
import type { Tx } from '../../db/tx.ts'
import { indexEpochOf } from '../events/index.ts'
import { columnOfKey, type ObjectModel } from '../objects/index.ts'
import { writeDocuments } from './documents/document.ts'
import {
  builtInIndexes,
  kindsOf,
  indexRows,
  indexTables,
  type FieldIndex,
  type Indexable,
  type IndexTable,
} from './rows.ts'
import { derived, roomFor, type Cache } from '../../lib/caches.ts'
import { handled } from '../../lib/promises.ts'
import { listIndexStates, type IndexName, type IndexState } from './store.ts'

type IndexContext = { readonly tx: Tx; readonly workspace: { readonly workspaceId: string } }

/**
 * Updates the index rows and search words of records from one state to another; a new record has no previous state.
 */
export async function writeIndexRows(
  { tx, workspace: { workspaceId } }: IndexContext,
  object: ObjectModel,
  before: readonly Indexable[],
  after: readonly Indexable[],
): Promise<void> {
  const states = await indexStates(tx, workspaceId, object)
  await Promise.all([
    putRows(tx, workspaceId, object, allIndexesIn(object, states), before, after),
    writeDocuments(tx, workspaceId, object, before, after),
  ])
}

async function putRows(
  tx: Tx,
  workspaceId: string,
  object: ObjectModel,
  indexes: readonly FieldIndex[],
  before: readonly Indexable[],
  after: readonly Indexable[],
): Promise<void> {
  const oldRows = indexRows(workspaceId, object, indexes, before)
  const newRows = indexRows(workspaceId, object, indexes, after)
  await Promise.all(indexTables.flatMap((table) => replaceRows(tx, table, oldRows[table], newRows[table])))
}

function replaceRows(
  tx: Tx,
  table: IndexTable,
  oldRows: readonly RowOf<IndexTable>[],
  newRows: readonly RowOf<IndexTable>[],
): Promise<void>[] {
  const [removed, added] = [rowsNotIn(oldRows, newRows), rowsNotIn(newRows, oldRows)]
  const keys = removed.map((row) => keyOfRow(table, row))
  return [tx.deleteByKey(table, keys), tx.insert(table, added)]
}

/** The key of a row. The trigrams are long, and the other columns of their row are its key. */
const keyOfRow = (table: IndexTable, row: RowOf<IndexTable>): RowOf<IndexTable> =>
  table === 'field_gram' ? { workspace_id: row.workspace_id, field: row.field, record_id: row.record_id } : row

/** The rows of the first list that the second does not contain. */
export function rowsNotIn<R extends object>(rows: readonly R[], others: readonly R[]): readonly R[] {
  if (others.length === 0) return rows
  const known = new Set(others.map((row) => JSON.stringify(row)))
  return rows.filter((row) => !known.has(JSON.stringify(row)))
}

const readAhead: Cache<Map<string, Promise<readonly IndexState[]>>> = { make: () => new Map() }

/**
 * The indexes on demand that a transaction maintains for an object, read once: a build that this read misses waits for
 * the transaction to end before it begins (docs/decisions/0045). Who is going to write records of the object calls it
 * early and does not wait, so that the query goes with the first statements.
 */
export function indexStates(tx: Tx, workspaceId: string, object: ObjectModel): Promise<readonly IndexState[]> {
  const known = tx.caches.get(readAhead)
  let states = known.get(object.key)
  if (states === undefined) {
    states = handled(statesSince(tx, workspaceId, object.key))
    known.set(object.key, states)
  }
  return states
}

type KnownStates = { readonly epoch: number; readonly states: readonly IndexState[] }

const objectsKnown = 10_000

/** The indexes of objects as this process last read them, for each database. */
const knownStates = derived<Sql, LRUCache<string, KnownStates>>(() => new LRUCache(roomFor(objectsKnown)))

/** The indexes of an object: those known, if the workspace's have not changed since they were read. */
async function statesSince(tx: Tx, workspaceId: string, object: string): Promise<readonly IndexState[]> {
  const cache = knownStates(tx.executor.sql)
  const key = `${workspaceId}:${object}`
  const begun = indexEpochOf(tx, workspaceId)
  const known = begun && cache.get(key)
  if (known !== undefined && known.epoch === (await begun?.epoch)) return known.states
  const states = await listIndexStates(tx, workspaceId, object)
  if (begun !== undefined) cache.set(key, { epoch: await begun.epoch, states })
  return states
}

/** Finds an index by its name; undefined if the object no longer has the column, or has it with another type. */
export function findIndex(
  object: ObjectModel,
  { field, kind }: Pick<IndexName, 'field' | 'kind'>,
): FieldIndex | undefined {
  const column = columnOfKey(object, field)
  return column !== undefined && kindsOf(column).includes(kind) ? { column, kind } : undefined
}

const indexesIn = (object: ObjectModel, states: readonly IndexState[]): FieldIndex[] =>
  states.flatMap((state) => findIndex(object, state) ?? [])

/** All indexes of an object, including those that exist from the first record on. */
export const allIndexesIn = (object: ObjectModel, states: readonly IndexState[]): FieldIndex[] => [
  ...builtInIndexes(object),
  ...indexesIn(object, states),
]

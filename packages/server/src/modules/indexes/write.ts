import { LRUCache } from 'lru-cache'
import type { RowOf } from '../../db/columns.ts'
import type { Sql } from '../../db/sql.ts'
import type { Tx } from '../../db/tx.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import type { Field } from '../fields/index.ts'
import { columnOfKey, type ObjectModel } from '../objects/index.ts'
import { searchedFields, writeDocuments } from './documents/document.ts'
import {
  builtInIndexes,
  kindsOf,
  indexRows,
  indexTables,
  type FieldIndex,
  type Indexable,
  type IndexTable,
} from './rows.ts'
import { derived, roomFor } from '../../lib/caches.ts'
import { listIndexStates, type IndexName, type IndexState } from './store.ts'

/** A change of records; without the schemas of a call, it reads the indexes itself. */
type IndexContext = Pick<WriteContext, 'tx'> & {
  readonly workspace: Pick<WriteContext['workspace'], 'workspaceId'>
  readonly schemas?: WriteContext['schemas']
}

/**
 * Updates the index rows and search words of records from one state to another, both in the same order; new records
 * have no previous state.
 */
export async function writeIndexRows(
  ctx: IndexContext,
  object: ObjectModel,
  before: readonly Indexable[],
  after: readonly Indexable[],
): Promise<void> {
  const {
    tx,
    workspace: { workspaceId },
  } = ctx
  const changed = before.length === 0 ? undefined : changedKeys(before, after)
  const mayDiffer = ({ key }: Field): boolean => changed?.has(key) ?? true
  const indexes = allIndexesIn(object, await indexStates(ctx, object)).filter(
    ({ column }) => column.kind !== 'field' || mayDiffer(column.field),
  )
  const oldRows = indexRows(workspaceId, object, indexes, before)
  const newRows = indexRows(workspaceId, object, indexes, after)
  await Promise.all([
    ...indexTables.flatMap((table) => replaceRows(tx, table, oldRows[table], newRows[table])),
    ...(searchedFields(object).some(mayDiffer) ? [writeDocuments(tx, workspaceId, object, before, after)] : []),
  ])
}

/** The keys of values that are others in some record: a change leaves all other values as they are. */
const changedKeys = (before: readonly Indexable[], after: readonly Indexable[]): ReadonlySet<string> =>
  new Set(
    after.flatMap(({ data }, index) => {
      const was = before[index]?.data ?? {}
      return [...Object.keys(data), ...Object.keys(was)].filter((key) => data[key] !== was[key])
    }),
  )

function replaceRows(
  tx: Tx,
  table: IndexTable,
  oldRows: readonly RowOf<IndexTable>[],
  newRows: readonly RowOf<IndexTable>[],
): Promise<void>[] {
  const { gone, come } = rowChanges(oldRows, newRows)
  const keys = gone.map((row) => keyOfRow(table, row))
  return [tx.deleteByKey(table, keys), tx.insert(table, come)]
}

/** The key of a row. The trigrams are long, and the other columns of their row are its key. */
const keyOfRow = (table: IndexTable, row: RowOf<IndexTable>): RowOf<IndexTable> =>
  table === 'field_gram' ? { workspace_id: row.workspace_id, field: row.field, record_id: row.record_id } : row

/** The rows of the first list only, and those of the second only. */
export function rowChanges<R extends object>(before: readonly R[], after: readonly R[]) {
  if (before.length === 0 || after.length === 0) return { gone: before, come: after }
  const were = new Map(before.map((row) => [JSON.stringify(row), row]))
  const come = after.filter((row) => !were.delete(JSON.stringify(row)))
  return { gone: [...were.values()], come }
}

type KnownStates = { readonly epoch: number; readonly states: readonly IndexState[] }

const objectsKnown = 10_000

/** The indexes of objects as this process last read them, for each database. */
const knownStates = derived<Sql, LRUCache<string, KnownStates>>(() => new LRUCache(roomFor(objectsKnown)))

/**
 * The indexes on demand that a change maintains for an object: a build that it misses waits for its transaction to end
 * before it begins (docs/decisions/0045). A call whose epoch is checked at its end goes by those that are known.
 */
async function indexStates(
  { tx, workspace: { workspaceId }, schemas }: IndexContext,
  object: ObjectModel,
): Promise<readonly IndexState[]> {
  if (schemas === undefined || schemas.isHeld) return listIndexStates(tx, workspaceId, object.key)
  const { epoch } = await schemas.get(tx)
  const cache = knownStates(tx.executor.sql)
  const key = `${workspaceId}:${object.key}`
  const known = cache.get(key)
  if (known?.epoch === epoch) return known.states
  const states = await listIndexStates(tx, workspaceId, object.key)
  cache.set(key, { epoch, states })
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

import { LRUCache } from 'lru-cache'
import type { Cache, Caches } from '../../../kernel/caches.ts'
import type { ObjectModel } from '../object.ts'
import { columnOfKey } from '../query/columns.ts'
import { firstIndexes, kindsOf, type FieldIndex } from './kinds.ts'
import type { IndexName, IndexState } from './store.ts'

const objectsKnown = 10_000

/** What was last read of an object's indexes: only ever a guess, which saves writers a round trip. */
const known: Cache<LRUCache<string, readonly IndexState[]>> = { make: () => new LRUCache({ max: objectsKnown }) }

export const cachedStates = (caches: Caches, workspaceId: string, object: ObjectModel): readonly IndexState[] =>
  caches.get(known).get(`${workspaceId}:${object.key}`) ?? []

/** For committed states alone: rows of an index that is none would be in the way of its build. */
export const cacheStates = (
  caches: Caches,
  workspaceId: string,
  object: ObjectModel,
  states: readonly IndexState[],
): void => void caches.get(known).set(`${workspaceId}:${object.key}`, states)

/** The index of a name; undefined where the object no longer has the column, or has it of another type. */
export function findIndex(
  object: ObjectModel,
  { field, kind }: Pick<IndexName, 'field' | 'kind'>,
): FieldIndex | undefined {
  const column = columnOfKey(object, field)
  return column !== undefined && kindsOf(column).includes(kind) ? { column, kind } : undefined
}

export const indexesIn = (object: ObjectModel, states: readonly IndexState[]): FieldIndex[] =>
  states.flatMap((state) => findIndex(object, state) ?? [])

/** The same with those that every record is in. */
export const allIndexesIn = (object: ObjectModel, states: readonly IndexState[]): FieldIndex[] => [
  ...firstIndexes(object),
  ...indexesIn(object, states),
]

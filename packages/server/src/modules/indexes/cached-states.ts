import { LRUCache } from 'lru-cache'
import type { Cache, Caches } from '../../lib/caches.ts'
import { type ObjectModel, columnOfKey } from '../objects/index.ts'
import { builtInIndexes, kindsOf, type FieldIndex } from './kinds.ts'
import type { IndexName, IndexState } from './store.ts'

const objectsKnown = 10_000

/** The last known states of an object's indexes: only a guess, which saves writers a round trip. */
const known: Cache<LRUCache<string, readonly IndexState[]>> = { make: () => new LRUCache({ max: objectsKnown }) }

export const cachedStates = (caches: Caches, workspaceId: string, object: ObjectModel): readonly IndexState[] =>
  caches.get(known).get(`${workspaceId}:${object.key}`) ?? []

/** Caches committed states only: rows of an index that was rolled back would obstruct its build. */
export const cacheStates = (
  caches: Caches,
  workspaceId: string,
  object: ObjectModel,
  states: readonly IndexState[],
): void => void caches.get(known).set(`${workspaceId}:${object.key}`, states)

/** Finds an index by its name; undefined if the object no longer has the column, or has it with another type. */
export function findIndex(
  object: ObjectModel,
  { field, kind }: Pick<IndexName, 'field' | 'kind'>,
): FieldIndex | undefined {
  const column = columnOfKey(object, field)
  return column !== undefined && kindsOf(column).includes(kind) ? { column, kind } : undefined
}

export const indexesIn = (object: ObjectModel, states: readonly IndexState[]): FieldIndex[] =>
  states.flatMap((state) => findIndex(object, state) ?? [])

/** All indexes of an object, including those that exist from the first record on. */
export const allIndexesIn = (object: ObjectModel, states: readonly IndexState[]): FieldIndex[] => [
  ...builtInIndexes(object),
  ...indexesIn(object, states),
]

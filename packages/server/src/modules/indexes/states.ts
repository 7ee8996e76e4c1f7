import type { Tx } from '../../db/tx.ts'
import type { Cache } from '../../lib/caches.ts'
import { handled } from '../../lib/handled.ts'
import { type ObjectModel, columnOfKey } from '../objects/index.ts'
import { builtInIndexes, kindsOf, type FieldIndex } from './kinds.ts'
import { listIndexStates, type IndexName, type IndexState } from './store.ts'

const readAhead: Cache<Map<string, Promise<IndexState[]>>> = { make: () => new Map() }

/**
 * The indexes on demand that a transaction maintains for an object, read once: a build that this read misses waits for
 * the transaction to end before it begins (docs/decisions/0045). Who is going to write records of the object calls it
 * early and does not wait, so that the query goes with the first statements.
 */
export function indexStates(tx: Tx, workspaceId: string, object: ObjectModel): Promise<IndexState[]> {
  const known = tx.caches.get(readAhead)
  let states = known.get(object.key)
  if (states === undefined) {
    states = handled(listIndexStates(tx, workspaceId, object.key))
    known.set(object.key, states)
  }
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

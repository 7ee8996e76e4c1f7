import type { Tx } from '../../db/tx.ts'
import { enqueue } from '../../engine/store.ts'
import { buildIndex, buildKey } from './build.ts'
import { insertIndexStates, type IndexName } from './store.ts'

/** Most indexes on demand for one object: every write of a record writes at least one row to each. */
export const indexesMax = 64

/** The names of indexes that are neither there nor under way, as far as their states are known. */
export const missingOf = (names: readonly IndexName[], states: readonly IndexName[]): IndexName[] =>
  names.filter(({ field, kind }) => !states.some((state) => state.field === field && state.kind === kind))

/**
 * Has indexes built of which none is built in, for an object with so many records. Returns the new ones: the others are
 * there or under way.
 */
export async function requestIndexes(
  tx: Tx,
  workspaceId: string,
  names: readonly IndexName[],
  total: number,
  now: number,
): Promise<IndexName[]> {
  const added = await insertIndexStates(tx, workspaceId, names, total, now)
  for (const name of added)
    await enqueue(tx, {
      workspaceId,
      kind: buildIndex,
      payload: { ...name, waiting: null },
      now,
      key: buildKey(name),
    })
  return added
}

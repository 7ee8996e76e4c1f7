import type { ReadTx } from '../../../db/tx.ts'
import { countPrivate, countPublic, privateRows, publicRows } from '../../access/index.ts'
import type { ListQuery } from '../list-query.ts'
import { selectivities, type AccessPath } from './access-path.ts'

/**
 * An access path to all records that the caller may see of a restricted object, and their number, if they are fewer
 * than the cost threshold; otherwise undefined. A caller may see ten records of a million, and an index scan through
 * the million would take seconds to find them.
 */
export async function visiblePath(
  tx: ReadTx,
  { workspaceId, object, principal }: ListQuery,
  costThreshold: number,
): Promise<{ readonly path: AccessPath; readonly cardinality: number } | undefined> {
  const scope = { workspaceId, object: object.key, principal }
  const shared = await countPublic(tx, scope)
  if (shared >= costThreshold) return undefined
  const cardinality = shared + (await countPrivate(tx, scope, costThreshold - shared))
  if (cardinality >= costThreshold) return undefined
  const path: AccessPath = {
    rows: (sql) =>
      principal.userId !== null ? publicRows(sql, scope).union(privateRows(sql, scope)) : publicRows(sql, scope),
    covers: [],
    selectivity: selectivities.many,
    label: 'what the caller may see',
  }
  return { path, cardinality }
}

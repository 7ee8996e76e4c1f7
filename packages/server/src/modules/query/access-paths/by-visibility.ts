import type { ReadTx } from '../../../db/tx.ts'
import { countPrivate, countPublic, privateRows, publicRows } from '../../access/index.ts'
import type { ListQuery } from '../list-query.ts'
import { selectivities, type AccessPath } from './access-path.ts'

/**
 * An access path to all records that the caller may see of a restricted object, if they are fewer than the cost
 * threshold; otherwise undefined. A caller may see ten records of a million, and an index scan through the million
 * would take seconds to find them.
 */
export async function visiblePath(
  tx: ReadTx,
  { workspaceId, object, principal }: ListQuery,
  bound: number,
): Promise<{ readonly source: AccessPath; readonly found: number } | undefined> {
  const asked = { workspaceId, object: object.key, principal }
  const shared = await countPublic(tx, asked)
  if (shared >= bound) return undefined
  const found = shared + (await countPrivate(tx, asked, bound - shared))
  if (found >= bound) return undefined
  const source: AccessPath = {
    rows: (sql) =>
      principal.userId !== null ? publicRows(sql, asked).union(privateRows(sql, asked)) : publicRows(sql, asked),
    covers: [],
    selectivity: selectivities.many,
    label: 'what the caller may see',
  }
  return { source, found }
}

import type { ReadTx } from '../../../db/tx.ts'
import { defined } from '../../../lib/guards.ts'
import { idListMax, rowsOfIds, selectivities, type AccessPath } from './access-path.ts'
import { readTotal, readColumn } from '../../../db/rows.ts'

/** An access path that a list may be read by, and its cost. */
export type Candidate = {
  readonly path: AccessPath
  /** The number of records that the path finds; undefined if it exceeds the cost threshold. */
  readonly cardinality: number | undefined
  /** The ids of these records, if they are few enough to hold in memory; the path then consists of them. */
  readonly ids?: readonly string[]
  /** Reading the records costs so little that SQLite does it on the main thread. */
  readonly isLight: boolean
}

/** Most access paths that are counted to find the best: counting more of them costs more than it gains. */
const countedPathsMax = 3

/**
 * The candidate that finds fewest records. Paths are counted up to the cost threshold only, since above it another
 * strategy is better anyway.
 */
export async function cheapestOf(
  tx: ReadTx,
  paths: readonly AccessPath[],
  costThreshold: number,
): Promise<Candidate | undefined> {
  const [first] = paths
  if (first === undefined) return undefined
  if (first.selectivity === selectivities.one) return { path: first, cardinality: 1, isLight: true }
  // A path that reads a whole index is counted only if there is no other.
  const cheap = paths.filter(({ selectivity }) => selectivity < selectivities.scanned)
  const ids = cheap[0] ? await idsUpTo(tx, cheap[0], idListMax + 1) : undefined
  if (cheap[0] !== undefined && ids !== undefined && ids.length <= idListMax)
    return { path: idListPath(cheap[0], ids), cardinality: ids.length, ids, isLight: true }
  const counted = (cheap.length > 0 ? cheap : paths).slice(0, countedPathsMax)
  const counts = await Promise.all(counted.map((path) => countUpTo(tx, path, costThreshold)))
  const fewest = Math.min(...counts)
  return {
    path: defined(counted[counts.indexOf(fewest)]),
    cardinality: fewest < costThreshold ? fewest : undefined,
    isLight: false,
  }
}

async function idsUpTo(tx: ReadTx, { rows }: AccessPath, max: number): Promise<string[]> {
  return readColumn(tx, (sql) => rows(sql).limit(max), { heavy: true })
}

/** An access path replaced by the ids that it found. */
const idListPath = ({ covers, selectivity, label }: AccessPath, ids: readonly string[]): AccessPath => ({
  rows: rowsOfIds(ids),
  covers,
  selectivity,
  label,
})

const countUpTo = (tx: ReadTx, { rows }: AccessPath, max: number): Promise<number> =>
  readTotal(tx, (sql) => sql.knex.count('* as total').from(rows(sql).limit(max).as('c')))

import type { ReadTx } from '../../../../db/tx.ts'
import { countPrivate, countPublic, privateRows, publicRows } from '../../../access/index.ts'
import type { PageRequest } from '../page-request.ts'
import { ranks, type Source } from './source.ts'

/**
 * All that the caller may see of an object that is not open to them, where it is less than a bound; undefined where it is more.
 * Somebody may see ten records of a million, and a walk through the million would take seconds to find them.
 */
export async function fewVisible(tx: ReadTx, { workspaceId, object, asker }: PageRequest, bound: number): Promise<{ readonly source: Source; readonly found: number } | undefined> {
  const asked = { workspaceId, object: object.key, asker }
  const shared = await countPublic(tx, asked)
  if (shared >= bound) return undefined
  const found = shared + (await countPrivate(tx, asked, bound - shared))
  if (found >= bound) return undefined
  const source: Source = {
    rows: (sql) => (asker.userId !== null ? publicRows(sql, asked).union(privateRows(sql, asked)) : publicRows(sql, asked)),
    settles: [],
    rank: ranks.many,
    words: 'what the caller may see',
  }
  return { source, found }
}

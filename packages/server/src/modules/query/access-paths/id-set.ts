import { linkCounter, totalRecords } from '../../counters/index.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { seesAll } from '../../access/index.ts'
import { linksOf, type LinkedSet } from '../include/store.ts'
import { otherEnd } from '../../objects/index.ts'
import type { KeyRow, IdSet, ListQuery } from '../list-query.ts'
import { selectivities, type AccessPath } from './access-path.ts'
import { readTotal } from '../../../db/rows.ts'

/** Most keys that are read on the main thread. */
const lightRowsMax = 100

/**
 * Reads the keys of a page in the order of the ids, which is how they are stored: a page costs the same however large
 * the set is.
 */
export function readIdSetKeys(
  tx: ReadTx,
  { position, offset, limit }: ListQuery,
  idSet: IdSet,
  backward: boolean,
): Promise<KeyRow[]> {
  return tx.query<KeyRow>(
    (sql) => {
      const { query, id } = idSet.rows(sql)
      query
        .select(`${id} as id`)
        .orderBy(id, backward ? 'desc' : 'asc')
        .limit(limit + 1)
      if (position !== undefined) return query.where(id, backward ? '<' : '>', position.at.id)
      return offset > 0 ? query.offset(offset) : query
    },
    { heavy: offset > 0 || limit > lightRowsMax },
  )
}

/** The size of an id set, from its counter if it has one. */
export async function countIdSet(tx: ReadTx, { workspaceId, counter, rows }: IdSet): Promise<number> {
  if (counter !== undefined) return totalRecords(tx, workspaceId, counter)
  return readTotal(tx, (sql) => rows(sql).query.count('* as total'))
}

/** An id set as an access path, to be filtered and sorted. */
export const idSetPath = ({ rows, label }: IdSet): AccessPath => ({
  rows(sql) {
    const { query, id } = rows(sql)
    return query.select(`${id} as record_id`)
  },
  covers: [],
  selectivity: selectivities.some,
  label,
})

/**
 * The id set of the records that one record (`of`) is linked to. A to-one reference has no counter: its one record is
 * looked up instead.
 */
export function linkedIdSet(links: LinkedSet & { readonly of: string; readonly isToMany: boolean }): IdSet {
  const { workspaceId, linkEnd, principal, of, isToMany } = links
  return {
    workspaceId,
    rows: (sql) => ({ query: linksOf(sql, links, 'l').where(`l.${linkEnd.end}`, of), id: `l.${otherEnd(linkEnd)}` }),
    counter: isToMany && seesAll(principal) ? linkCounter(linkEnd, of) : undefined,
    label: 'the links of the record',
    cursorScope: [linkEnd, of],
  }
}

import { linkCounter, totalRecords } from '../../../../db/counters.ts'
import type { ReadTx } from '../../../../db/tx.ts'
import { seesAll } from '../../../access/index.ts'
import { linksOf, type LinkedSet } from '../../include/store.ts'
import { otherEnd } from '../../object.ts'
import type { KeyRow, IdSet, ListQuery } from '../list-query.ts'
import { selectivities, type AccessPath } from './access-path.ts'

/** Up to so many keys are read on the main thread. */
const lightRowsMax = 100

/** In the order of their ids, in which they stand: a page costs the same however many there are. */
export function readIdSetKeys(
  tx: ReadTx,
  { position, offset, limit }: ListQuery,
  members: IdSet,
  backward: boolean,
): Promise<KeyRow[]> {
  return tx.query<KeyRow>(
    (sql) => {
      const { query, id } = members.rows(sql)
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

/** Counted beforehand where there is a counter. */
export async function countIdSet(tx: ReadTx, { workspaceId, counter, rows }: IdSet): Promise<number> {
  if (counter !== undefined) return totalRecords(tx, workspaceId, counter)
  const [row] = await tx.query<{ total: number }>((sql) => rows(sql).query.count('* as total'), { heavy: true })
  return row?.total ?? 0
}

/** To be filtered and sorted. */
export const idSetPath = ({ rows, label }: IdSet): AccessPath => ({
  rows(sql) {
    const { query, id } = rows(sql)
    return query.select(`${id} as record_id`)
  },
  covers: [],
  selectivity: selectivities.some,
  label,
})

/** The records at the other ends of the links of one, `of`; a reference to one is looked at rather than counted. */
export function linkedIdSet(links: LinkedSet & { readonly of: string; readonly isToMany: boolean }): IdSet {
  const { workspaceId, place, principal, of, isToMany } = links
  return {
    workspaceId,
    rows: (sql) => ({ query: linksOf(sql, links, 'l').where(`l.${place.end}`, of), id: `l.${otherEnd(place)}` }),
    counter: isToMany && seesAll(principal) ? linkCounter(place, of) : undefined,
    label: 'the links of the record',
    scope: [place, of],
  }
}

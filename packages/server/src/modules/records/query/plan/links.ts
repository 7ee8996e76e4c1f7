import { linkCounter, totalRecords } from '../../../../db/counters.ts'
import type { ReadTx } from '../../../../db/tx.ts'
import { seesAll } from '../../../access/index.ts'
import { linksOf } from '../../include/store.ts'
import { otherEnd } from '../../object.ts'
import type { KeyRow, PageRequest } from '../page-request.ts'
import { ranks, type Source } from './source.ts'

type Links = NonNullable<PageRequest['links']>

/** Up to so many keys are read on the main thread. */
const lightRowsMax = 100

/** Related records in the order of their ids, which is that of the links: a page costs the same however many there are. */
export function linkKeys(tx: ReadTx, { position, offset, limit }: PageRequest, links: Links, backward: boolean): Promise<KeyRow[]> {
  const other = `l.${otherEnd(links.place)}`
  return tx.query<KeyRow>(
    (sql) => {
      const query = linksOf(sql, links, 'l').where(`l.${links.place.end}`, links.of).select(`${other} as id`).orderBy(other, backward ? 'desc' : 'asc').limit(limit + 1)
      if (position !== undefined) return query.where(other, backward ? '<' : '>', position.at.id)
      return offset > 0 ? query.offset(offset) : query
    },
    { heavy: offset > 0 || limit > lightRowsMax },
  )
}

/** Counted beforehand where the caller sees every record; a reference to one is looked at. */
export async function countLinks(tx: ReadTx, links: Links): Promise<number> {
  if (links.isToMany && seesAll(links.asker)) return totalRecords(tx, links.workspaceId, linkCounter(links.place, links.of))
  const [row] = await tx.query<{ total: number }>((sql) => linksOf(sql, links, 'l').where(`l.${links.place.end}`, links.of).count('* as total'), { heavy: true })
  return row?.total ?? 0
}

/** The records that one is linked to, to be filtered and sorted. */
export const byOneRecord = (links: Links): Source => ({
  rows: (sql) => linksOf(sql, links, 'l').where(`l.${links.place.end}`, links.of).select(`l.${otherEnd(links.place)} as record_id`),
  settles: [],
  rank: ranks.some,
  words: 'the links of the record',
})

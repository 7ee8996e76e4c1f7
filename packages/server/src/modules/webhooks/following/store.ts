import type { ReadTx } from '../../../db/tx.ts'
import type { IdSet } from '../../query/index.ts'

/** Returns which of some records are in an id set. */
export const listAmong = async (tx: ReadTx, set: IdSet, ids: readonly string[]): Promise<Set<string>> => {
  const rows = await tx.query<{ record_id: string }>((sql) => {
    const { query, id } = set.rows(sql)
    return query.select(`${id} as record_id`).where(sql.dialect.oneOf(id, ids))
  })
  return new Set(rows.map(({ record_id }) => record_id))
}

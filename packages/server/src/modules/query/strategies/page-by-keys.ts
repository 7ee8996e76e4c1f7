import type { ReadTx } from '../../../db/tx.ts'
import { recordColumns, type RecordRow } from '../../objects/index.ts'
import { rowsOfIds } from '../access-paths/access-path.ts'
import type { KeyRow, ListQuery, PageRow } from '../list-query.ts'
import { matching } from '../matching.ts'
import type { ListPlan } from './strategy.ts'

/** Most rows that are read on the main thread; SQLite hands larger reads to a reader thread. */
export const lightRowsMax = 51

/** Reads the keys of a page in reading direction. */
type ReadKeys = (tx: ReadTx, query: ListQuery, backward: boolean) => Promise<readonly KeyRow[]> | readonly KeyRow[]

/**
 * Reads pages by their keys and then the rows of these keys. Records that leave the list between the two statements are
 * replaced by records from beyond the page, so that the page keeps its length; `beyond` reads those, by default in the
 * same way.
 */
export function pageByKeys(readKeys: ReadKeys, beyond?: ListPlan['page']): ListPlan['page'] {
  const page: ListPlan['page'] = async (tx, query) => {
    const backward = query.position?.direction === 'before'
    const read = await readKeys(tx, query, backward)
    const keys = backward ? read.toReversed() : read
    const rows = await listRows(tx, query, keys)
    const present = keys.flatMap((key) => {
      const row = rows.get(key.id)
      return row === undefined ? [] : [{ ...row, sorted: sortedBy(query, key) }]
    })
    const last = read.at(-1)
    if (last === undefined || present.length === keys.length || keys.length <= query.limit) return present
    const others = await (beyond ?? page)(tx, queryBeyond(query, last, keys.length - present.length))
    return backward ? [...others, ...present] : [...present, ...others]
  }
  return page
}

/** The values that a key is sorted by. */
export const sortedBy = ({ sort }: ListQuery, key: KeyRow): PageRow['sorted'] =>
  sort.map((_, index) => key[`s${index}`] ?? null)

/** A query for so many rows beyond the last key of a page. */
const queryBeyond = (query: ListQuery, last: KeyRow, rows: number): ListQuery => ({
  ...query,
  position: {
    at: { values: sortedBy(query, last), id: last.id },
    direction: query.position?.direction ?? 'after',
  },
  offset: 0,
  limit: rows - 1,
})

/**
 * Reads the rows for some keys, of those records that are still in the list: a record may have been written since its
 * key was read.
 */
async function listRows(tx: ReadTx, query: ListQuery, keys: readonly KeyRow[]): Promise<Map<string, RecordRow>> {
  if (keys.length === 0) return new Map()
  const ids = keys.map((key) => key.id)
  const rows = await tx.query<RecordRow>((sql) => matching(sql, query, { rows: rowsOfIds(ids) }).select(rowColumns), {
    heavy: ids.length > lightRowsMax,
  })
  return new Map(rows.map((row) => [row.id, row]))
}

const rowColumns = recordColumns.map((column) => `r.${column}`)

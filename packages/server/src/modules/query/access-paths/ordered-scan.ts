import type { Knex } from 'knex'
import { aliased, recordsOf, tupleAfter } from '../../../db/expressions.ts'
import type { Sql } from '../../../db/sql.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { seesAll, whereVisibleRow } from '../../access/index.ts'
import { orderedKind } from '../../indexes/index.ts'
import { isCollection } from '../../objects/index.ts'
import { sortedValue } from '../column-sql.ts'
import { beyond, ordered, orderKeys, positionValues } from '../keyset.ts'
import { whereMatching } from '../matching.ts'
import type { KeyRow, ListQuery } from '../list-query.ts'
import { coversFilter, type AccessPath, type IsIndexUsable } from './access-path.ts'
import { orderedIndex, whereInRange, type IndexRange, type OrderedIndex } from './index-range.ts'

/** A scan of the ordered index of the first sort column, or of a range of it. */
export type IndexScan = {
  readonly index: OrderedIndex
  readonly range: IndexRange | undefined
  /** An index-only scan reads no records, except to check ownership if the caller owns any private record. */
  readonly indexOnly: boolean
  readonly ownsPrivate: boolean
}

/** The index scan that yields the order of a list; undefined if it has none. */
export function indexScanOf(
  { object, sort, filter }: ListQuery,
  usable: IsIndexUsable,
  paths: readonly AccessPath[],
): IndexScan | undefined {
  const column = sort[0]?.column
  // Each item has a row of its own, and one of them would have to be chosen.
  if (column === undefined || isCollection(column)) return undefined
  const kind = orderedKind(column)
  if (kind === undefined || !usable(object, column, kind)) return undefined
  const index = orderedIndex(object, column, kind)
  const own = paths.find(({ range }) => range?.index.field === index.field && range.index.table === index.table)
  const isCovered = filter === undefined || (own !== undefined && coversFilter(own, filter))
  return { index, range: own?.range, indexOnly: isCovered && sort.length === 1, ownsPrivate: false }
}

/**
 * The two partitions of an ordered index: the records that have a value, in its order; then those that have none, in
 * the order of the remaining sort columns.
 */
type IndexPartition = 'values' | 'empty'

type ScannedPage = { readonly query: ListQuery; readonly scan: IndexScan; readonly backward: boolean }

/** Most rows that an index-only scan reads on the main thread. */
const lightRowsMax = 100

/**
 * Reads the keys of a page from the ordered index of the first sort column, in reading direction. Empty values come
 * last in either order, so the index is read in two partitions, each in its own direction: no sort, at any size and
 * depth.
 */
export async function scanIndex(tx: ReadTx, query: ListQuery, scan: IndexScan, backward: boolean): Promise<KeyRow[]> {
  const page: ScannedPage = { query, scan, backward }
  const rowsMax = query.limit + 1
  const order: readonly IndexPartition[] = backward ? ['empty', 'values'] : ['values', 'empty']
  const partitions = order.filter((one) => scan.range === undefined || scan.range.empty === (one === 'empty'))
  const { position } = query
  if (position === undefined) return fromOffset(tx, page, partitions, rowsMax)
  const begin: IndexPartition = position.at.values[0] === null ? 'empty' : 'values'
  const rows: KeyRow[] = []
  for (const one of order.slice(order.indexOf(begin))) {
    if (!partitions.includes(one) || rows.length === rowsMax) continue
    const from = one === begin ? page : { ...page, query: { ...query, position: undefined } }
    rows.push(...(await readPartition(tx, from, one, rowsMax - rows.length, 0)))
  }
  return rows
}

/** Reads a page by offset, which may begin in the second partition. */
async function fromOffset(
  tx: ReadTx,
  page: ScannedPage,
  [first, second]: readonly IndexPartition[],
  rowsMax: number,
): Promise<KeyRow[]> {
  const { offset } = page.query
  const rows = first === undefined ? [] : await readPartition(tx, page, first, rowsMax, offset)
  if (rows.length === rowsMax || first === undefined || second === undefined) return rows
  const skipped = rows.length > 0 || offset === 0 ? 0 : offset - (await countPartition(tx, page, first))
  return [...rows, ...(await readPartition(tx, page, second, rowsMax - rows.length, Math.max(0, skipped)))]
}

/** Narrows a list that is restricted to an id set to that set. */
const whereInIdSet = (sql: Sql, query: Knex.QueryBuilder, { idSet }: ListQuery): Knex.QueryBuilder =>
  idSet?.contains === undefined ? query : query.whereExists(idSet.contains(sql, 's.record_id'))

/** The rows of a partition as `s`, each joined to its record as `r` unless the scan is index-only. */
function partitionRows(sql: Sql, { query, scan }: ScannedPage, which: IndexPartition): Knex.QueryBuilder {
  const { knex } = sql
  const { index, range, indexOnly, ownsPrivate } = scan
  const rows = knex
    .queryBuilder()
    .from(indexOnly ? `${index.table} as s` : recordsOf(sql, index.table, query.workspaceId))
  whereInRange(sql, rows, query.workspaceId, range ?? { index, empty: which === 'empty', conditions: [] })
  if (!indexOnly) return whereInIdSet(sql, whereMatching(sql, rows, query), query)
  return seesAll(query.principal)
    ? rows
    : whereVisibleRow(
        sql,
        rows,
        { workspaceId: query.workspaceId, object: query.object.key, principal: query.principal },
        ownsPrivate,
      )
}

async function readPartition(
  tx: ReadTx,
  page: ScannedPage,
  which: IndexPartition,
  rows: number,
  offset: number,
): Promise<KeyRow[]> {
  const heavy = !page.scan.indexOnly || !seesAll(page.query.principal) || offset > 0 || rows > lightRowsMax
  const read = await tx.query<KeyRow>(
    (sql) => {
      const keys = page.query.sort.length === 1 ? byOneColumn(sql, page, which) : bySeveral(sql, page, which)
      keys.limit(rows)
      return offset > 0 ? keys.offset(offset) : keys
    },
    { heavy },
  )
  return which === 'empty' ? read.map((key) => ({ ...key, s0: null })) : read
}

function byOneColumn(sql: Sql, page: ScannedPage, which: IndexPartition): Knex.QueryBuilder {
  const { query, scan, backward } = page
  const value = `s.${scan.index.value}`
  const keys = partitionRows(sql, page, which).select('s.record_id as id', `${value} as s0`)
  const order = (query.sort[0]?.descending === true) === backward ? 'asc' : 'desc'
  if (query.position !== undefined) {
    const { values, id } = query.position.at
    const nothing = scan.index.table === 'field_text' ? '' : 0
    keys.where(
      tupleAfter(sql, [value, 's.record_id'], [values[0] ?? nothing, id], order === 'asc' ? 'after' : 'before'),
    )
  }
  return keys.orderBy([
    { column: value, order },
    { column: 's.record_id', order },
  ])
}

/** Sorts by the index, and within each of its values by the other columns: the databases sort group by group. */
function bySeveral(sql: Sql, page: ScannedPage, which: IndexPartition): Knex.QueryBuilder {
  const { knex } = sql
  const { query, scan, backward } = page
  const { sort, position } = query
  const others = sort.slice(1).map(({ column }, index) => aliased(sql, sortedValue(sql, column), `s${index + 1}`))
  const keys = knex.select('*').from(
    partitionRows(sql, page, which)
      .select('s.record_id as id', `s.${scan.index.value} as s0`, ...others)
      .as('k'),
  )
  const [first, ...rest] = orderKeys(sort)
  const order = which === 'empty' || first === undefined ? rest : [{ ...first, nullable: false }, ...rest]
  if (position !== undefined) {
    const values = positionValues(position.at)
    keys.where(beyond(sql, order, which === 'empty' ? values.slice(1) : values, backward))
    // Redundant, but in a form that an index can use.
    if (which === 'values') keys.where('s0', first?.descending === backward ? '>=' : '<=', values[0] ?? null)
  }
  ordered(sql, keys, order, backward)
  return keys
}

async function countPartition(tx: ReadTx, page: ScannedPage, which: IndexPartition): Promise<number> {
  const [row] = await tx.query<{ total: number }>((sql) => partitionRows(sql, page, which).count('* as total'), {
    heavy: true,
  })
  return row?.total ?? 0
}

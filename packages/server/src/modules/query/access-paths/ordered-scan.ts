import type { Knex } from 'knex'
import { aliased, recordsOf, tupleAfter } from '../../../db/expressions.ts'
import type { Sql } from '../../../db/sql.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { seesAll, whereVisibleRow } from '../../access/index.ts'
import { orderedKind, textValueMax, truncate } from '../../indexes/index.ts'
import { isCollection, type Column } from '../../objects/index.ts'
import { isRanked, rankedOptions, sortedValue, type Condition } from '../../filters/index.ts'
import { beyond, ordered, orderKeys, positionValues } from '../keyset.ts'
import { whereMatching } from '../matching.ts'
import type { KeyRow, ListQuery } from '../list-query.ts'
import { coversFilter, type AccessPath, type IsIndexUsable } from './access-path.ts'
import { orderedIndex, whereInRange, type IndexRange, type OrderedIndex } from './index-range.ts'
import { readTotal } from '../../../db/rows.ts'

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
  if (isRanked(column) && (column.field.options?.size ?? 0) > walkedOptionsMax) return undefined
  const index = orderedIndex(object, column, kind)
  const own = paths.find(({ range }) => range?.index.field === index.field && range.index.table === index.table)
  const isCovered = filter === undefined || (own !== undefined && coversFilter(own, filter))
  return { index, range: own?.range, indexOnly: isCovered && sort.length === 1, ownsPrivate: false }
}

/**
 * A part of an ordered index whose records follow one another in the order of a list. Those that have no value come
 * last, and the options of a select one after another. All records of such a part have the same sort value, its
 * `constant`; those of the part with all other values are in the order of the index.
 */
type IndexPartition = {
  readonly empty: boolean
  readonly constant: number | null | undefined
  readonly option?: { readonly text: string; readonly conditions: readonly Condition[] }
}

const emptyPartition: IndexPartition = { empty: true, constant: null }

/** The partitions of an index in the order of a list, from its first page on. */
function partitionsOf([first]: ListQuery['sort']): IndexPartition[] {
  if (first === undefined || !isRanked(first.column)) return [{ empty: false, constant: undefined }, emptyPartition]
  const { column, descending } = first
  const options = rankedOptions(column.field).map((option, constant): IndexPartition => ({
    empty: false,
    constant,
    option: { text: truncate(option), conditions: withOption(column, option) },
  }))
  return [...(descending ? options.toReversed() : options), emptyPartition]
}

/**
 * The rows of an option, as a range: of rows that equal a value Postgres expects so few, once it plans for any value,
 * that it reads and sorts all of them instead of a page.
 */
const withOption = (column: Column, option: string): Condition[] =>
  (option.length < textValueMax ? (['Greater than or equal', 'Less than or equal'] as const) : (['Is'] as const)).map(
    (op) => ({
      steps: [],
      column,
      op,
      values: [option],
    }),
  )

/** Options that are walked one after another; of more, most of a page might be found to have no record. */
const walkedOptionsMax = 100

type ScannedPage = { readonly query: ListQuery; readonly scan: IndexScan; readonly backward: boolean }

/** Most rows that an index-only scan reads on the main thread. */
const lightRowsMax = 100

/**
 * Reads the keys of a page from the ordered index of the first sort column, in reading direction. Empty values come
 * last in either order, so the index is read in partitions, each in its own direction: no sort, at any size and depth.
 */
export async function scanIndex(tx: ReadTx, query: ListQuery, scan: IndexScan, backward: boolean): Promise<KeyRow[]> {
  const page: ScannedPage = { query, scan, backward }
  const rowsMax = query.limit + 1
  const all = partitionsOf(query.sort)
  const order = backward ? all.toReversed() : all
  const isWanted = ({ empty }: IndexPartition) => scan.range === undefined || scan.range.empty === empty
  const { position } = query
  if (position === undefined) return fromOffset(tx, page, order.filter(isWanted), rowsMax)
  const [value = null] = position.at.values
  const begin = order.findIndex(({ constant }) => (constant === undefined ? value !== null : constant === value))
  const rows: KeyRow[] = []
  for (const [index, one] of order.slice(begin).entries()) {
    if (!isWanted(one) || rows.length === rowsMax) continue
    const from = index === 0 ? page : { ...page, query: { ...query, position: undefined } }
    rows.push(...(await readPartition(tx, from, one, rowsMax - rows.length, 0)))
  }
  return rows
}

/** Reads a page by offset, which may begin in any partition. */
async function fromOffset(
  tx: ReadTx,
  page: ScannedPage,
  partitions: readonly IndexPartition[],
  rowsMax: number,
): Promise<KeyRow[]> {
  const rows: KeyRow[] = []
  let left = page.query.offset
  for (const one of partitions) {
    const read = await readPartition(tx, page, one, rowsMax - rows.length, left)
    rows.push(...read)
    if (rows.length === rowsMax) break
    if (left > 0) left = read.length > 0 ? 0 : Math.max(0, left - (await countPartition(tx, page, one)))
  }
  return rows
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
  const { empty, conditions } = range ?? { empty: which.empty, conditions: [] }
  whereInRange(sql, rows, query.workspaceId, {
    index,
    empty,
    conditions: [...conditions, ...(which.option?.conditions ?? [])],
  })
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
  const { constant } = which
  return constant === undefined ? read : read.map((key) => ({ ...key, s0: constant }))
}

function byOneColumn(sql: Sql, page: ScannedPage, which: IndexPartition): Knex.QueryBuilder {
  const { query, scan, backward } = page
  const value = `s.${scan.index.value}`
  const keys = partitionRows(sql, page, which).select('s.record_id as id', `${value} as s0`)
  const order = (query.sort[0]?.descending === true) === backward ? 'asc' : 'desc'
  if (query.position !== undefined) {
    const { values, id } = query.position.at
    const direction = order === 'asc' ? 'after' : 'before'
    const nothing = scan.index.table === 'field_text' ? '' : 0
    const from = which.option?.text ?? values[0] ?? nothing
    keys.where(tupleAfter(sql, [value, 's.record_id'], [from, id], direction))
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
  const isConstant = which.constant !== undefined
  const order = isConstant || first === undefined ? rest : [{ ...first, nullable: false }, ...rest]
  if (position !== undefined) {
    const values = positionValues(position.at)
    keys.where(beyond(sql, order, isConstant ? values.slice(1) : values, backward))
    // Redundant, but in a form that an index can use.
    if (!isConstant) keys.where('s0', first?.descending === backward ? '>=' : '<=', values[0] ?? null)
  }
  ordered(sql, keys, order, backward)
  return keys
}

const countPartition = (tx: ReadTx, page: ScannedPage, which: IndexPartition): Promise<number> =>
  readTotal(tx, (sql) => partitionRows(sql, page, which).count('* as total'))

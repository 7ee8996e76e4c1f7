import { aliased, recordsOf, tupleAfter } from '../../../db/expressions.ts'
import type { Knex } from 'knex'
import type { ReadTx, Sql } from '../../../db/tx.ts'
import { seesAll, whereVisibleRow } from '../../access/index.ts'
import { sortedValue } from '../column-sql.ts'
import { beyond, ordered, orderKeys, positionValues } from '../keyset.ts'
import { whereMatching } from '../matching.ts'
import type { KeyRow, ListQuery } from '../list-query.ts'
import type { IndexScanPlan } from '../strategies/planner.ts'
import { whereInRange } from './range.ts'

/**
 * The two partitions of an ordered index: the records that have a value, in its order; then those that have none, in
 * the order of the remaining sort columns.
 */
type IndexPartition = 'values' | 'empty'

type IndexScan = { readonly request: ListQuery; readonly plan: IndexScanPlan; readonly backward: boolean }

/** Most rows that an index-only scan reads on the main thread. */
const lightRowsMax = 100

/**
 * Reads the keys of a page from the ordered index of the first sort column, in reading direction. Empty values come
 * last in either order, so the index is read in two partitions, each in its own direction: no sort, at any size and
 * depth.
 */
export async function scanIndex(
  tx: ReadTx,
  request: ListQuery,
  plan: IndexScanPlan,
  backward: boolean,
): Promise<KeyRow[]> {
  const walk: IndexScan = { request, plan, backward }
  const wanted = request.limit + 1
  const order: readonly IndexPartition[] = backward ? ['empty', 'values'] : ['values', 'empty']
  const segments = order.filter((one) => plan.range === undefined || plan.range.empty === (one === 'empty'))
  const { position } = request
  if (position === undefined) return fromOffset(tx, walk, segments, wanted)
  const begin: IndexPartition = position.at.values[0] === null ? 'empty' : 'values'
  const rows: KeyRow[] = []
  for (const one of order.slice(order.indexOf(begin))) {
    if (!segments.includes(one) || rows.length === wanted) continue
    const from = one === begin ? walk : { ...walk, request: { ...request, position: undefined } }
    rows.push(...(await readPartition(tx, from, one, wanted - rows.length, 0)))
  }
  return rows
}

/** Reads a page by offset, which may begin in the second partition. */
async function fromOffset(
  tx: ReadTx,
  walk: IndexScan,
  [first, second]: readonly IndexPartition[],
  wanted: number,
): Promise<KeyRow[]> {
  const { offset } = walk.request
  const rows = first === undefined ? [] : await readPartition(tx, walk, first, wanted, offset)
  if (rows.length === wanted || first === undefined || second === undefined) return rows
  const skipped = rows.length > 0 || offset === 0 ? 0 : offset - (await countPartition(tx, walk, first))
  return [...rows, ...(await readPartition(tx, walk, second, wanted - rows.length, Math.max(0, skipped)))]
}

/** Narrows a list that is restricted to an id set to that set. */
const whereInIdSet = (sql: Sql, query: Knex.QueryBuilder, { idSet }: ListQuery): Knex.QueryBuilder =>
  idSet?.one === undefined ? query : query.whereExists(idSet.one(sql, 's.record_id'))

/** The rows of a partition as `s`, each joined to its record as `r` unless the scan is index-only. */
function partitionRows(sql: Sql, { request, plan }: IndexScan, which: IndexPartition): Knex.QueryBuilder {
  const { knex } = sql
  const { index, range, indexOnly } = plan
  const query = knex
    .queryBuilder()
    .from(indexOnly ? `${index.table} as s` : recordsOf(sql, index.table, request.workspaceId))
  whereInRange(sql, query, request.workspaceId, range ?? { index, empty: which === 'empty', conditions: [] })
  if (!indexOnly) return whereInIdSet(sql, whereMatching(sql, query, request), request)
  return seesAll(request.principal)
    ? query
    : whereVisibleRow(
        sql,
        query,
        { workspaceId: request.workspaceId, object: request.object.key, principal: request.principal },
        plan.owns,
      )
}

async function readPartition(
  tx: ReadTx,
  walk: IndexScan,
  which: IndexPartition,
  rows: number,
  offset: number,
): Promise<KeyRow[]> {
  const heavy = !walk.plan.indexOnly || !seesAll(walk.request.principal) || offset > 0 || rows > lightRowsMax
  const keys = await tx.query<KeyRow>(
    (sql) => {
      const query = walk.request.sort.length === 1 ? byOneColumn(sql, walk, which) : bySeveral(sql, walk, which)
      query.limit(rows)
      return offset > 0 ? query.offset(offset) : query
    },
    { heavy },
  )
  return which === 'empty' ? keys.map((key) => ({ ...key, s0: null })) : keys
}

function byOneColumn(sql: Sql, walk: IndexScan, which: IndexPartition): Knex.QueryBuilder {
  const { request, plan, backward } = walk
  const value = `s.${plan.index.value}`
  const query = partitionRows(sql, walk, which).select('s.record_id as id', `${value} as s0`)
  const order = (request.sort[0]?.descending === true) === backward ? 'asc' : 'desc'
  if (request.position !== undefined) {
    const { values, id } = request.position.at
    const nothing = plan.index.table === 'field_text' ? '' : 0
    query.where(
      tupleAfter(sql, [value, 's.record_id'], [values[0] ?? nothing, id], order === 'asc' ? 'after' : 'before'),
    )
  }
  return query.orderBy([
    { column: value, order },
    { column: 's.record_id', order },
  ])
}

/** Sorts by the index, and within each of its values by the other columns: the databases sort group by group. */
function bySeveral(sql: Sql, walk: IndexScan, which: IndexPartition): Knex.QueryBuilder {
  const { knex } = sql
  const { request, plan, backward } = walk
  const { sort, position } = request
  const others = sort.slice(1).map(({ column }, index) => aliased(sql, sortedValue(sql, column), `s${index + 1}`))
  const query = knex.select('*').from(
    partitionRows(sql, walk, which)
      .select('s.record_id as id', `s.${plan.index.value} as s0`, ...others)
      .as('k'),
  )
  const [first, ...rest] = orderKeys(sort)
  const keys = which === 'empty' || first === undefined ? rest : [{ ...first, nullable: false }, ...rest]
  if (position !== undefined) {
    const values = positionValues(position.at)
    query.where(beyond(sql, keys, which === 'empty' ? values.slice(1) : values, backward))
    // Redundant, but in a form that an index can use.
    if (which === 'values') query.where('s0', first?.descending === backward ? '>=' : '<=', values[0] as never)
  }
  ordered(sql, query, keys, backward)
  return query
}

async function countPartition(tx: ReadTx, walk: IndexScan, which: IndexPartition): Promise<number> {
  const [row] = await tx.query<{ total: number }>((sql) => partitionRows(sql, walk, which).count('* as total'), {
    heavy: true,
  })
  return row?.total ?? 0
}

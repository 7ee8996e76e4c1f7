import { aliased, compare, limited, tupleAfter } from '../../db/expressions.ts'
import type { Knex } from 'knex'
import { totalRecords } from '../counters/index.ts'
import { param, statement } from '../../db/statement.ts'
import type { QueryOptions, ReadTx, Sql } from '../../db/tx.ts'
import { seesAll } from '../access/index.ts'
import { listLive, recordColumns, type RecordRow } from '../objects/index.ts'
import { sortedValue } from './column-sql.ts'
import type { KeysetPosition } from './cursor.ts'
import { beyond, ordered, orderKeys, positionValues } from './keyset.ts'
import { matching } from './matching.ts'
import { isByTime, type KeyRow, type ListQuery, type PageRow } from './list-query.ts'
import { capped, countByIndexes, countPublicAndPrivate } from './totals/by-indexes.ts'
import { inCreationOrder, isDescending } from './access-paths/point-lookup.ts'
import { behindTime } from './access-paths/covering-lookup.ts'
import type { PagePlan, PlannedRequest } from './strategies/planner.ts'
import { rowsOfIds, type AccessPath } from './access-paths/access-path.ts'
import { idSetPath, countIdSet, readIdSetKeys } from './access-paths/id-set.ts'
import { scanIndex } from './access-paths/index-scan.ts'

/** Most rows that are read on the main thread; SQLite hands larger reads to a reader thread. */
const lightRowsMax = 51

/**
 * Reads the rows of a page in order: one more than asked for if there are more in reading direction. Records that leave
 * the list between the statement that reads the keys and the one that reads the rows are replaced by records from
 * behind the page, so that the page keeps its length.
 */
export async function listPage(tx: ReadTx, request: PlannedRequest): Promise<PageRow[]> {
  if (isCreationPage(request)) return creationPage(tx, request)
  const backward = request.position?.direction === 'before'
  const { page } = request.plan
  if (page.by === 'found') return foundPage(tx, request, page.ids)
  if (page.by === 'few') return page.rows.map(byCreation)
  const read = await keysOf(tx, request, page, backward)
  const keys = backward ? read.toReversed() : read
  const rows = await listRows(tx, request, keys)
  const there = keys.flatMap((key) => {
    const row = rows.get(key.id)
    return row === undefined ? [] : [{ ...row, sorted: sortedBy(request, key) }]
  })
  const last = read.at(-1)
  if (last === undefined || there.length === keys.length || keys.length <= request.limit) return there
  const behind = await listPage(tx, restBehind(request, last, keys.length - there.length))
  return backward ? [...behind, ...there] : [...there, ...behind]
}

const sortedBy = ({ sort }: ListQuery, key: KeyRow): PageRow['sorted'] =>
  sort.map((_, index) => key[`s${index}`] ?? null)

/**
 * A query for so many rows after the last key of another page. If that page used matches already read, the query goes
 * back to their access path.
 */
function restBehind(request: PlannedRequest, last: KeyRow, rows: number): PlannedRequest {
  const { page } = request.plan
  const position = {
    at: { values: sortedBy(request, last), id: last.id },
    direction: request.position?.direction ?? 'after',
  }
  const plan =
    page.by === 'matches'
      ? { ...request.plan, page: { by: 'source' as const, source: page.source, few: false } }
      : request.plan
  return { ...request, plan, position, offset: 0, limit: rows - 1 }
}

function keysOf(
  tx: ReadTx,
  request: ListQuery,
  page: Exclude<PagePlan, { by: 'found' | 'few' }>,
  backward: boolean,
): Promise<readonly KeyRow[]> | readonly KeyRow[] {
  if (page.by === 'matches') return page.keys
  if (page.by === 'id-set') return readIdSetKeys(tx, request, page.members, backward)
  return page.by === 'index-scan' ? scanIndex(tx, request, page, backward) : sortedKeys(tx, request, page, backward)
}

const sortedKeys = (
  tx: ReadTx,
  request: ListQuery,
  plan: Extract<PagePlan, { by: 'source' | 'records' }>,
  backward: boolean,
): Promise<KeyRow[]> =>
  plan.by === 'source'
    ? tx.query<KeyRow>((sql) => keyQuery(sql, request, plan.source, backward), { heavy: !plan.few })
    : tx.query<KeyRow>((sql) => keyQuery(sql, request, undefined, backward), { heavy: true })

/**
 * The position after which a page begins that ends at a cursor; undefined if the page begins at the start of the list.
 */
export async function positionBefore(tx: ReadTx, request: PlannedRequest): Promise<KeysetPosition | undefined> {
  const { page } = request.plan
  const [key] = await tx.query<KeyRow>(
    (sql) =>
      keyQuery(
        sql,
        { ...request, limit: 0 },
        page.by === 'source' ? page.source : request.idSet && idSetPath(request.idSet),
        true,
      ).offset(request.limit),
    { heavy: true },
  )
  return key && { values: request.sort.map((_, index) => key[`s${index}`] ?? null), id: key.id }
}

/** Selects the keys of a page. Ids first, then their rows: three times faster at depth than sorting whole documents. */
export function keyQuery(
  sql: Sql,
  request: ListQuery,
  source: AccessPath | undefined,
  backward: boolean,
): Knex.QueryBuilder {
  const { sort, position, limit, offset } = request
  const { knex } = sql
  const keys = matching(sql, request, source).select(
    'r.id',
    ...sort.map(({ column }, index) => aliased(sql, sortedValue(sql, column), `s${index}`)),
  )
  const page = knex.select('*').from(keys.as('k'))
  const order = orderKeys(sort)
  if (position !== undefined)
    page.where(
      isByTime(request)
        ? behindTime(sql, request, backward)
        : isById(request)
          ? behindId(sql, request, backward)
          : beyond(sql, order, positionValues(position.at), backward),
    )
  ordered(sql, page, order, backward)
  page.limit(limit + 1)
  return position === undefined && offset > 0 ? page.offset(offset) : page
}

/** Sorted by id. Here, too, an index cannot use the condition of `beyond`. */
const isById = ({ sort }: ListQuery): boolean => sort[0]?.column.name === '_id'

const behindId = (sql: Sql, { sort, position }: ListQuery, backward: boolean): Knex.Raw =>
  compare(sql, sql.knex.ref('id'), sort[0]?.descending === backward ? '>' : '<', position?.at.id ?? '')

/**
 * Reads the rows for some keys, of those records that are still in the list: a record may have been written since its
 * key was read.
 */
async function listRows(tx: ReadTx, request: ListQuery, keys: readonly KeyRow[]): Promise<Map<string, RecordRow>> {
  if (keys.length === 0) return new Map()
  const ids = keys.map((key) => key.id)
  const rows = await tx.query<RecordRow>(
    (sql) => matching(sql, request, { rows: rowsOfIds(ids) }).select(rowColumns),
    heavyAbove(ids.length),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

const rowColumns = recordColumns.map((column) => `r.${column}`)

const heavyAbove = (rows: number): QueryOptions => ({ heavy: rows > lightRowsMax })

/** The exact size of the list; one more than `countMax` if the list is larger. */
export async function countMatching(tx: ReadTx, request: PlannedRequest): Promise<number> {
  const plan = request.plan.total
  if (plan.by === 'found') return plan.total
  if (plan.by === 'id-set') return countIdSet(tx, plan.members)
  if (plan.by === 'counter') return totalRecords(tx, request.workspaceId, request.object.key)
  const [row] = await tx.query<{ total: number }>(
    (sql) =>
      plan.by === 'indexes' || plan.by === 'public-and-private'
        ? sql.knex.select(
            aliased(
              sql,
              plan.by === 'public-and-private'
                ? countPublicAndPrivate(sql, request, plan)
                : countByIndexes(sql, request, plan),
              'total',
            ),
          )
        : sql.knex
            .count('* as total')
            .from(
              capped(matching(sql, request, plan.by === 'source' ? plan.source : undefined).select('r.id'), request).as(
                'm',
              ),
            ),
    { heavy: true },
  )
  return row?.total ?? 0
}

type FirstArgs = {
  readonly workspace_id: string
  readonly object: string
  readonly ids: unknown
  readonly rows: number
}

/** Reads the first of some records by creation, so that the documents of the others need not be read. */
const firstByCreation = (order: 'asc' | 'desc') =>
  statement<FirstArgs, RecordRow>((sql) =>
    limited(
      sql,
      liveOf(sql.knex, param('workspace_id'), param('object'))
        .where(sql.dialect.oneOf('id', param('ids')))
        .orderBy([
          { column: 'created_at', order },
          { column: 'id', order },
        ]),
      param('rows'),
    ),
  )

const firstStatements = { asc: firstByCreation('asc'), desc: firstByCreation('desc') }

/** Reads the first page of an id list by creation. If the page shows all records, sorting them here costs less. */
async function foundPage(tx: ReadTx, request: ListQuery, ids: readonly string[]): Promise<PageRow[]> {
  if (ids.length === 0) return []
  const { workspaceId, object, sort, limit, offset } = request
  const shown = offset + limit + 1
  const rows =
    ids.length > shown
      ? await tx.all(firstStatements[isDescending(sort) ? 'desc' : 'asc'], {
          workspace_id: workspaceId,
          object: object.key,
          ids,
          rows: shown,
        })
      : await listLive(tx, workspaceId, object.key, ids)
  return inCreationOrder(rows, request).slice(offset, shown).map(byCreation)
}

const byCreation = (row: RecordRow): PageRow => ({ ...row, sorted: [row.created_at] })

const liveOf = (knex: Knex, workspaceId: string, object: string): Knex.QueryBuilder =>
  knex('record')
    .select(...recordColumns)
    .where({ workspace_id: workspaceId, object })
    .whereNull('deleted_at')

type CreationArgs = {
  readonly workspace_id: string
  readonly object: string
  readonly created_at: number
  readonly id: string
  readonly rows: number
}

/** Reads a page by creation, the order of most lists: prepared once, answered from one index. */
const pageByCreation = (direction: 'after' | 'before') =>
  statement<CreationArgs, RecordRow>((sql) => {
    const order = direction === 'after' ? 'asc' : 'desc'
    const query = liveOf(sql.knex, param('workspace_id'), param('object'))
      .where(tupleAfter(sql, ['created_at', 'id'], [param('created_at'), param('id')], direction))
      .orderBy([
        { column: 'created_at', order },
        { column: 'id', order },
      ])
    return limited(sql, query, param('rows'))
  })

const creationStatements = { after: pageByCreation('after'), before: pageByCreation('before') }

const beginning: KeysetPosition = { values: [-1], id: '00000000-0000-0000-0000-000000000000' }

const isCreationPage = ({ sort, filter, principal, offset, position, idSet }: ListQuery): boolean =>
  idSet === undefined &&
  sort.length === 1 &&
  sort[0]?.column.name === '_created_at' &&
  !sort[0].descending &&
  filter === undefined &&
  seesAll(principal) &&
  (offset === 0 || position !== undefined)

async function creationPage(tx: ReadTx, { workspaceId, object, limit, position }: ListQuery): Promise<PageRow[]> {
  const direction = position?.direction ?? 'after'
  const { values, id } = position?.at ?? beginning
  const args = {
    workspace_id: workspaceId,
    object: object.key,
    created_at: (values[0] as number | null) ?? Number.MAX_SAFE_INTEGER,
    id,
    rows: limit + 1,
  }
  const rows = await tx.all(creationStatements[direction], args, heavyAbove(limit + 1))
  if (direction === 'before') rows.reverse()
  return rows.map(byCreation)
}

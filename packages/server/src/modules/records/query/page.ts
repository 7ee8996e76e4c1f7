import type { Knex } from 'knex'
import { totalRecords } from '../../../db/counters.ts'
import { param, statement } from '../../../db/statement.ts'
import type { QueryOptions, ReadTx, Sql } from '../../../db/tx.ts'
import { seesAll, whereVisible } from '../../access/index.ts'
import { linksOf } from '../include/store.ts'
import { otherEnd } from '../object.ts'
import { recordColumns, type RecordRow } from '../store.ts'
import { sortedValue } from './columns.ts'
import { indexPageKeys, isIndexPage } from './index-page.ts'
import { filterCondition } from './filter-sql.ts'
import { beyond, ordered, reversed } from './keyset.ts'
import type { Position } from './cursor.ts'
import type { KeyRow, PageRequest, PageRow } from './page-request.ts'

/** Up to that many rows are read on the main thread; SQLite hands larger reads to a thread. */
const lightRowsMax = 51

/** The rows of a page in order; one more than asked for where there are more in the direction of reading. */
export async function listPage(tx: ReadTx, request: PageRequest): Promise<PageRow[]> {
  if (isCreationPage(request)) return creationPage(tx, request)
  const backward = request.position?.direction === 'before'
  const keys = await pageKeys(tx, request, backward)
  if (backward) keys.reverse()
  const rows = await listRows(tx, request, keys)
  return keys.flatMap((key) => {
    const row = rows.get(key.id)
    return row === undefined ? [] : [{ ...row, sorted: request.sort.map((_, index) => key[`s${index}`] ?? null) }]
  })
}

function pageKeys(tx: ReadTx, request: PageRequest, backward: boolean): Promise<KeyRow[]> {
  if (isLinkPage(request)) return linkedKeys(tx, request, request.links as NonNullable<PageRequest['links']>, backward)
  return isIndexPage(request) ? indexPageKeys(tx, request, backward) : tx.query<KeyRow>((sql) => keyQuery(sql, request, backward), { heavy: true })
}

/** Ids first, then their rows: three times faster at depth than sorting whole documents. */
function keyQuery(sql: Sql, request: PageRequest, backward: boolean): Knex.QueryBuilder {
  const { sort, position, limit, offset } = request
  const { knex } = sql
  const keys = matching(sql, request).select('r.id', ...sort.map(({ column }, index) => sql.dialect.aliased(knex, sortedValue(sql, column), `s${index}`)))
  const page = knex.select('*').from(keys.as('k'))
  if (position !== undefined) page.where(beyond(sql, backward ? reversed(sort) : sort, position.at, backward))
  ordered(sql, page, sort, backward)
  page.limit(limit + 1)
  return position === undefined && offset > 0 ? page.offset(offset) : page
}

/** The set that a list is about: every read of several records begins here. */
function matching(sql: Sql, { workspaceId, object, asker, filter, links }: PageRequest): Knex.QueryBuilder {
  const live = sql.knex('record as r').where({ 'r.workspace_id': workspaceId, 'r.object': object.name }).whereNull('r.deleted_at')
  const visible = whereVisible(live, 'r', asker)
  if (links !== undefined) visible.join('link as l', (on) => on.on('l.workspace_id', 'r.workspace_id').on(`l.${otherEnd(links.place)}`, 'r.id')).where(ofOne(links, 'l'))
  return filter === undefined ? visible : visible.where(filterCondition(sql, filter))
}

/** The live links of the one record that a list is about. */
const ofOne = ({ workspaceId, place, of }: NonNullable<PageRequest['links']>, alias: string) => ({
  [`${alias}.workspace_id`]: workspaceId,
  [`${alias}.relationship`]: place.relationship,
  [`${alias}.${place.end}`]: of,
  [`${alias}.hidden_by`]: null,
})

/** Related records in the order of their ids are read from the links, which are in that order at any number. */
function linkedKeys(tx: ReadTx, request: PageRequest, links: NonNullable<PageRequest['links']>, backward: boolean): Promise<KeyRow[]> {
  const { position, offset, limit } = request
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

const isLinkPage = ({ links, sort, filter }: PageRequest): boolean => links !== undefined && sort.length === 0 && filter === undefined

async function listRows(tx: ReadTx, { workspaceId }: PageRequest, keys: readonly KeyRow[]): Promise<Map<string, RecordRow>> {
  if (keys.length === 0) return new Map()
  const ids = keys.map((key) => key.id)
  const rows = await tx.query<RecordRow>(
    ({ knex, dialect }) => knex('record').select(...recordColumns).where('workspace_id', workspaceId).where(dialect.oneOf(knex, 'id', ids)),
    heavyAbove(ids.length),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

const heavyAbove = (rows: number): QueryOptions => ({ heavy: rows > lightRowsMax })

/** The exact size of the set: from the counter where it is the whole object, counted where it is not. */
export async function countMatching(tx: ReadTx, request: PageRequest): Promise<number> {
  const { links } = request
  if (request.filter === undefined && links !== undefined) {
    const [row] = await tx.query<{ total: number }>((sql) => linksOf(sql, links, 'l').where(`l.${links.place.end}`, links.of).count('* as total'), { heavy: true })
    return row?.total ?? 0
  }
  if (request.filter === undefined && seesAll(request.asker)) return totalRecords(tx, request.workspaceId, request.object.name)
  const rows = await tx.query<{ total: number }>((sql) => sql.knex.count('* as total').from(matching(sql, request).select('r.id').as('m')), { heavy: true })
  return rows[0]?.total ?? 0
}

type CreationArgs = { readonly workspace_id: string; readonly object: string; readonly created_at: number; readonly id: string; readonly rows: number }

/** The order in which most lists are read and walked: prepared once, answered from one index. */
const pageByCreation = (direction: 'after' | 'before') =>
  statement<CreationArgs, RecordRow>(({ knex, dialect }) => {
    const order = direction === 'after' ? 'asc' : 'desc'
    const query = knex('record')
      .select(...recordColumns)
      .where({ workspace_id: param('workspace_id'), object: param('object') })
      .whereNull('deleted_at')
      .where(dialect.tupleAfter(knex, ['created_at', 'id'], [param('created_at'), param('id')], direction))
      .orderBy([{ column: 'created_at', order }, { column: 'id', order }])
    return dialect.limited(knex, query, param('rows'))
  })

const creationStatements = { after: pageByCreation('after'), before: pageByCreation('before') }

const beginning: Position = { values: [-1], id: '00000000-0000-0000-0000-000000000000' }

const isCreationPage = ({ sort, filter, asker, offset, position, links }: PageRequest): boolean =>
  links === undefined && sort.length === 1 && sort[0]?.column.name === '_created_at' && !sort[0].descending && filter === undefined && seesAll(asker) && (offset === 0 || position !== undefined)

async function creationPage(tx: ReadTx, { workspaceId, object, limit, position }: PageRequest): Promise<PageRow[]> {
  const direction = position?.direction ?? 'after'
  const { values, id } = position?.at ?? beginning
  const args = { workspace_id: workspaceId, object: object.name, created_at: (values[0] as number | null) ?? Number.MAX_SAFE_INTEGER, id, rows: limit + 1 }
  const rows = await tx.all(creationStatements[direction], args, heavyAbove(limit + 1))
  if (direction === 'before') rows.reverse()
  return rows.map((row) => ({ ...row, sorted: [row.created_at] }))
}

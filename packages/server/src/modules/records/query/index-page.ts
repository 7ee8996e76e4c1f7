import type { Knex } from 'knex'
import type { ReadTx, Sql } from '../../../db/tx.ts'
import { seesAll } from '../../access/index.ts'
import { indexName } from '../object.ts'
import type { KeyRow, PageRequest } from './page-request.ts'

/** The records that have a value, in its order; then those that have none, in the order of their ids. */
type Segment = 'values' | 'empty'

type Reading = { readonly request: PageRequest; readonly field: string; readonly order: 'asc' | 'desc' }

/** Whether the field index alone gives the order of a list. */
export function isIndexPage({ sort, filter, asker, object, links }: PageRequest): boolean {
  const column = sort[0]?.column
  return links === undefined && sort.length === 1 && filter === undefined && column?.kind === 'field' && object.indexed.includes(column.field) && seesAll(asker)
}

/**
 * The keys of a page from the field index, in the direction of reading. Empty values come last in either order, so
 * the index is read in two segments, each in its own direction: no sort, at any size and depth.
 */
export async function indexPageKeys(tx: ReadTx, request: PageRequest, backward: boolean): Promise<KeyRow[]> {
  const [key] = request.sort
  if (key?.column.kind !== 'field') return []
  const reading: Reading = { request, field: indexName(request.object, key.column.field), order: key.descending === backward ? 'asc' : 'desc' }
  const segments: Segment[] = backward ? ['empty', 'values'] : ['values', 'empty']
  const { position } = request
  const wanted = request.limit + 1
  if (position === undefined) return firstRows(tx, reading, wanted)
  const begin: Segment = position.at.values[0] === null ? 'empty' : 'values'
  const [first = begin, second] = segments.slice(segments.indexOf(begin))
  const rows = await segmentRows(tx, reading, first, wanted, 0)
  if (rows.length === wanted || second === undefined) return rows
  const rest = await segmentRows(tx, { ...reading, request: { ...request, position: undefined } }, second, wanted - rows.length, 0)
  return [...rows, ...rest]
}

/** A page by offset, which may begin behind all values. */
async function firstRows(tx: ReadTx, reading: Reading, wanted: number): Promise<KeyRow[]> {
  const { offset } = reading.request
  const rows = await segmentRows(tx, reading, 'values', wanted, offset)
  if (rows.length === wanted) return rows
  const skipped = rows.length > 0 || offset === 0 ? 0 : offset - (await countValues(tx, reading))
  return [...rows, ...(await segmentRows(tx, reading, 'empty', wanted - rows.length, Math.max(0, skipped)))]
}

const segmentOf = ({ knex }: Sql, { request, field }: Reading, segment: Segment): Knex.QueryBuilder =>
  knex('field_text').where({ workspace_id: request.workspaceId, field, is_null: segment === 'empty' ? 1 : 0 })

async function segmentRows(tx: ReadTx, reading: Reading, segment: Segment, rows: number, offset: number): Promise<KeyRow[]> {
  const { order, request } = reading
  const keys = await tx.query<{ id: string; s0: string }>(
    (sql) => {
      const { knex, dialect } = sql
      const query = segmentOf(sql, reading, segment).select('record_id as id', 'text_value as s0')
      if (request.position !== undefined) {
        const { values, id } = request.position.at
        query.where(dialect.tupleAfter(knex, ['text_value', 'record_id'], [values[0] ?? '', id], order === 'asc' ? 'after' : 'before'))
      }
      query.orderBy([{ column: 'text_value', order }, { column: 'record_id', order }]).limit(rows)
      return offset > 0 ? query.offset(offset) : query
    },
    { heavy: offset > 0 || rows > 100 },
  )
  return segment === 'empty' ? keys.map(({ id }) => ({ id, s0: null })) : keys
}

async function countValues(tx: ReadTx, reading: Reading): Promise<number> {
  const [row] = await tx.query<{ total: number }>((sql) => segmentOf(sql, reading, 'values').count('* as total'), { heavy: true })
  return row?.total ?? 0
}

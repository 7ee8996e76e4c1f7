import type { Knex } from 'knex'
import { wholePageMax } from '@kontor/contract'
import type { ReadTx, Sql } from '../../../../db/tx.ts'
import { seesAll } from '../../../access/index.ts'
import { ordered, orderKeys, positionValues } from '../keyset.ts'
import type { KeyRow, ListQuery } from '../list-query.ts'
import { coversFilter, type AccessPath } from './access-path.ts'

/** The keys of a page, in the direction of reading, and how many records there are in all. */
export type Matches = { readonly keys: readonly KeyRow[]; readonly total: number }

export type WithCreation = AccessPath & Required<Pick<AccessPath, 'withCreation'>>

/** Whether a source has all that a page in the order of creation needs, so that no record need be looked at to find its keys. */
export const hasSortKeys = (
  source: AccessPath,
  { principal, filter, sort, limit }: ListQuery,
): source is WithCreation =>
  source.withCreation !== undefined &&
  seesAll(principal) &&
  filter !== undefined &&
  coversFilter(source, filter) &&
  sort.length === 1 &&
  sort[0]?.column.name === '_created_at' &&
  limit <= wholePageMax

/**
 * Reads what a source finds once, for the page and for the total: each hit lies on another page of the table, and reading those
 * is what a search costs. The total is one more than is counted where there are more: then the keys are those of any hits.
 */
export async function readMatches(
  tx: ReadTx,
  request: ListQuery,
  { withCreation }: WithCreation,
  countMax: number,
): Promise<Matches> {
  const hits = (sql: Sql): Knex.QueryBuilder => withCreation(sql).limit(countMax + 1)
  const rows = await tx.query<KeyRow & { readonly total: number }>((sql) => keysOf(sql, request, hits(sql)), {
    heavy: true,
  })
  const [first] = rows
  if (first !== undefined) return { keys: rows, total: first.total }
  // A page that has no row has none to tell the total.
  const [counted] = await tx.query<{ total: number }>((sql) => sql.knex.count('* as total').from(hits(sql).as('c')), {
    heavy: true,
  })
  return { keys: [], total: counted?.total ?? 0 }
}

function keysOf(sql: Sql, request: ListQuery, hits: Knex.QueryBuilder): Knex.QueryBuilder {
  const { knex, dialect } = sql
  const { sort, position, offset, limit } = request
  const counted = knex
    .select('c.record_id as id', 'c.created_at as s0', dialect.aliased(knex, dialect.countOver(knex), 'total'))
    .from(hits.as('c'))
  const page = knex
    .select('*')
    .from(counted.as('k'))
    .limit(limit + 1)
  const backward = position?.direction === 'before'
  if (position !== undefined) page.where(behindTime(sql, request, backward))
  ordered(sql, page, orderKeys(sort), backward)
  return position === undefined && offset > 0 ? page.offset(offset) : page
}

/** The same as `beyond`, in words that the index of a time understands. */
export const behindTime = ({ knex, dialect }: Sql, { sort, position }: ListQuery, backward: boolean): Knex.Raw =>
  dialect.tupleAfter(
    knex,
    ['s0', 'id'],
    position === undefined ? [] : positionValues(position.at),
    sort[0]?.descending === backward ? 'after' : 'before',
  )

import type { Knex } from 'knex'
import { aliased, countOver } from '../../../db/expressions.ts'
import { wholePageMax } from '@kontor/contract'
import type { Sql } from '../../../db/sql.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { seesAll } from '../../access/index.ts'
import { beyondTime, ordered, orderKeys } from '../keyset.ts'
import type { KeyRow, ListQuery } from '../list-query.ts'
import { coversFilter, type AccessPath } from './access-path.ts'
import { readTotal } from '../../../db/rows.ts'

/** The keys of a page in reading direction, and the total of matches. */
export type Matches = { readonly keys: readonly KeyRow[]; readonly total: number }

export type CoveringPath = AccessPath & Required<Pick<AccessPath, 'rowsWithCreation'>>

/**
 * Tells whether an access path yields everything that sorts a page by creation, so that the keys are found without
 * reading records.
 */
export const isCovering = (path: AccessPath, { principal, filter, sort, limit }: ListQuery): path is CoveringPath =>
  path.rowsWithCreation !== undefined &&
  seesAll(principal) &&
  filter !== undefined &&
  coversFilter(path, filter) &&
  sort.length === 1 &&
  sort[0]?.column.name === '_created_at' &&
  limit <= wholePageMax

/**
 * Reads the matches of an access path once, for both the page and the total: each match lies on another page of the
 * table, and reading those pages is what a search costs. If there are more than `countMax`, the total is one more than
 * that, and the keys are those of arbitrary matches.
 */
export async function readMatches(
  tx: ReadTx,
  query: ListQuery,
  { rowsWithCreation }: CoveringPath,
  countMax: number,
): Promise<Matches> {
  const hits = (sql: Sql): Knex.QueryBuilder => rowsWithCreation(sql).limit(countMax + 1)
  const rows = await tx.query<KeyRow & { readonly total: number }>((sql) => keysOf(sql, query, hits(sql)), {
    heavy: true,
  })
  const [first] = rows
  if (first !== undefined) return { keys: rows, total: first.total }
  // An empty page has no row that could carry the total.
  return { keys: [], total: await readTotal(tx, (sql) => sql.knex.count('* as total').from(hits(sql).as('c'))) }
}

function keysOf(sql: Sql, query: ListQuery, hits: Knex.QueryBuilder): Knex.QueryBuilder {
  const { knex } = sql
  const { sort, position, offset, limit } = query
  const counted = knex
    .select('c.record_id as id', 'c.created_at as s0', aliased(sql, countOver(sql), 'total'))
    .from(hits.as('c'))
  const page = knex
    .select('*')
    .from(counted.as('k'))
    .limit(limit + 1)
  const backward = position?.direction === 'before'
  if (position !== undefined) page.where(beyondTime(sql, query, backward))
  ordered(sql, page, orderKeys(sort), backward)
  return position === undefined && offset > 0 ? page.offset(offset) : page
}

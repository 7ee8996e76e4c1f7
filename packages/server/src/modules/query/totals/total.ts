import type { Knex } from 'knex'
import type { ReadTx } from '../../../db/tx.ts'
import { countVisible, seesAll } from '../../access/index.ts'
import type { AccessPath } from '../access-paths/access-path.ts'
import { countIdSet } from '../access-paths/id-set.ts'
import type { IdSet, ListQuery } from '../list-query.ts'
import { matching } from '../matching.ts'
import { readTotal } from '../../../db/rows.ts'

/** A way to find the size of a list. */
export type Total = {
  /** The exact size; one more than `countMax` if the list is larger. */
  readonly count: (tx: ReadTx, query: ListQuery) => Promise<number> | number
  /** The way in a sentence, for an explained plan. */
  readonly explain: (query: ListQuery) => string
}

/** Limits a query to the records that are counted, and one more that shows that there are others. */
export const capped = (query: Knex.QueryBuilder, { countMax }: ListQuery): Knex.QueryBuilder =>
  countMax === undefined ? query : query.limit(countMax + 1)

/** A total that was counted while the list was planned. */
export const knownTotal = (total: number): Total => ({
  count: () => total,
  explain: () => 'The total is the number of records found.',
})

/** The number of an object's records that the caller may see. */
export const objectTotal: Total = {
  count: (tx, { object, principal }) => countVisible(tx, object.key, principal),
  explain: ({ principal }) =>
    seesAll(principal)
      ? 'The total is the counter of the object.'
      : 'The total adds the records that are shared with the workspace, by their counter, and the others that the ' +
        'caller may see.',
}

/** The size of an id set. */
export const idSetTotal = (idSet: IdSet): Total => ({
  count: (tx) => countIdSet(tx, idSet),
  explain: () => `The total is the number of ${idSet.label}.`,
})

/**
 * A total that is counted record by record, on those that an access path finds or else on all of the object; `isLight`
 * where these are few.
 */
export const recordTotal = (path: AccessPath | undefined, isLight: boolean): Total => ({
  count: (tx, query) =>
    readTotal(
      tx,
      (sql) => sql.knex.count('* as total').from(capped(matching(sql, query, path).select('r.id'), query).as('m')),
      !isLight && (path === undefined ? 'scan' : true),
    ),
  explain: ({ object }) =>
    path === undefined
      ? `The total is counted on all ${object.name} records.`
      : `The total is counted on the records found by ${path.label}.`,
})

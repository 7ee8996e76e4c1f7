import type { Knex } from 'knex'
import { aliased } from '../../../db/expressions.ts'
import type { Sql } from '../../../db/sql.ts'
import type { Principal } from '../../access/index.ts'
import type { IndexKind } from '../../fields/index.ts'
import type { Column, ObjectModel } from '../../objects/index.ts'
import { conjunctsOf, type ResolvedFilter } from '../../filters/index.ts'
import type { IndexRange } from './index-range.ts'

/**
 * A way to find the records that satisfy some conditions of a filter, by an index. It finds all of them, and maybe
 * others.
 */
export type AccessPath = {
  /** Rows `record_id`: each record once, without deleted ones. */
  readonly rows: (sql: Sql) => Knex.QueryBuilder
  /** The conditions that hold for every record found; none of them needs a recheck. */
  readonly covers: readonly ResolvedFilter[]
  /** Estimate of how many records the path finds, from the conditions alone: the lower, the fewer. */
  readonly selectivity: number
  /** Name of the path in an explained plan. */
  readonly label: string
  /** The same rows with `created_at`, if the index stores it. */
  readonly rowsWithCreation?: (sql: Sql) => Knex.QueryBuilder
  /**
   * The same rows without the records that the caller does not see as every member does, if the index stores
   * visibility; records among the `record_id` rows of `kept` stay.
   */
  readonly publicRows?: (sql: Sql, kept?: Knex.QueryBuilder) => Knex.QueryBuilder
  /** The range of an ordered index that the rows come from, if they come from one. */
  readonly range?: IndexRange
}

/** Most ids that are held in memory, to be looked up and sorted on the main thread. */
export const idListMax = 100

/** Ids in memory as the rows of an access path. */
export const rowsOfIds =
  (ids: readonly string[]): AccessPath['rows'] =>
  (sql) =>
    sql.knex.select('s.id as record_id').from(aliased(sql, sql.dialect.idTable(ids), 's'))

/**
 * Estimates of what a condition selects: one record, few, some, many or most. `scanned` marks a condition that is only
 * answered by reading a whole index.
 */
export const selectivities = { one: 0, equal: 1, some: 2, many: 3, scanned: 4, most: 5 } as const

/** Tells whether an index is complete: it exists from the start, or its build has ended. */
export type IsIndexUsable = (object: ObjectModel, column: Column, kind: IndexKind) => boolean

/** The object and principal that a filter is planned for, and which indexes exist. */
export type PlanScope = {
  readonly workspaceId: string
  readonly object: ObjectModel
  readonly principal: Principal
  readonly usable: IsIndexUsable
}

/** Tells whether an access path answers a filter fully, so that no record needs a recheck. */
export const coversFilter = ({ covers }: AccessPath, filter: ResolvedFilter): boolean =>
  conjunctsOf(filter).every((part) => covers.includes(part))

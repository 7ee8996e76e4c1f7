import type { Knex } from 'knex'
import type { Sql } from '../../../../db/tx.ts'
import type { Principal } from '../../../access/index.ts'
import type { IndexKind } from '../../fields/field-type.ts'
import type { ObjectModel } from '../../object.ts'
import type { Column } from '../columns.ts'
import { conjunctsOf, type ResolvedFilter } from '../filter.ts'
import type { IndexRange } from './range.ts'

/** Records that an index finds for some conditions of a filter: all for which these hold, and maybe others. */
export type AccessPath = {
  /** Rows `record_id`, each record once, deleted ones left out. */
  readonly rows: (sql: Sql) => Knex.QueryBuilder
  /** The conditions that hold for every record found. */
  readonly covers: readonly ResolvedFilter[]
  /** How many records are to be expected, by the conditions alone: the lower, the fewer. */
  readonly selectivity: number
  /** Named for people. */
  readonly label: string
  /** The same with `created_at`, where that stands beside them. */
  readonly withCreation?: (sql: Sql) => Knex.QueryBuilder
  /** The same without what the caller does not see as every member does, where that stands beside them; but for rows `record_id` of `beside`. */
  readonly publicRows?: (sql: Sql, beside?: Knex.QueryBuilder) => Knex.QueryBuilder
  /** Where the rows stand in an index in the order of a column. */
  readonly range?: IndexRange
}

/** Ids that are known, as rows of a source. */
export const rowsOfIds =
  (ids: readonly string[]): AccessPath['rows'] =>
  ({ knex, dialect }) =>
    knex.select('s.id as record_id').from(dialect.aliased(knex, dialect.idTable(knex, ids), 's'))

/** What a condition mostly leaves: one record, few, some, many, most; and what reads a whole index to know. */
export const selectivities = { one: 0, equal: 1, some: 2, many: 3, scanned: 4, most: 5 } as const

/** Whether an index may be used: it always was there, or its build has ended. */
export type IsIndexUsable = (object: ObjectModel, column: Column, kind: IndexKind) => boolean

/** Where a filter is applied, and which indexes are there. */
export type PlanScope = {
  readonly workspaceId: string
  readonly object: ObjectModel
  readonly principal: Principal
  readonly usable: IsIndexUsable
}

/** Whether a source finds the records of a filter and no others. */
export const coversFilter = ({ covers: settled }: AccessPath, filter: ResolvedFilter): boolean =>
  conjunctsOf(filter).every((part) => settled.includes(part))

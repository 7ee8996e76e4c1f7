import type { Knex } from 'knex'
import type { Sql } from '../../db/sql.ts'
import type { Principal } from '../access/index.ts'
import { type ObjectModel, type RecordRow, isTime } from '../objects/index.ts'
import type { KeysetPosition } from './cursor.ts'
import type { ResolvedFilter } from '../filters/index.ts'
import type { SortKey } from './sort.ts'

/**
 * An id set: records that are listed elsewhere by id, such as at the other ends of one record's links or among the
 * entries of a list.
 */
export type IdSet = {
  readonly workspaceId: string
  /** The live records that the caller may see, each once, and the column that holds their ids. */
  readonly rows: (sql: Sql) => { readonly query: Knex.QueryBuilder; readonly id: string }
  /** The record whose id is in a column, if it is in the set: for an index scan, which checks each record. */
  readonly contains?: (sql: Sql, id: string) => Knex.QueryBuilder
  /** The counter of the set's size, if the caller may see all of it. */
  readonly counter: string | undefined
  /** Name of the set in an explained plan. */
  readonly label: string
  /** Identifies the set; a cursor of another set does not fit. */
  readonly cursorScope: readonly unknown[]
}

/** A checked list query: which records, in which order, and where the page lies among them. */
export type ListQuery = {
  readonly workspaceId: string
  readonly object: ObjectModel
  readonly principal: Principal<'read'>
  readonly sort: readonly SortKey[]
  readonly filter: ResolvedFilter | undefined
  /** Records beyond this number are not counted, except one that shows that there are more. */
  readonly countMax?: number | undefined
  readonly offset: number
  readonly limit: number
  /** Overrides the offset. */
  readonly position: { readonly at: KeysetPosition; readonly direction: 'after' | 'before' } | undefined
  /** Restricts the list to these records of the object. */
  readonly idSet: IdSet | undefined
}

/** Tells whether a list is sorted by one of the times of a record, which have indexes of their own. */
export const isByTime = ({ sort }: ListQuery): boolean =>
  sort.length === 1 && sort[0] !== undefined && isTime(sort[0].column)

/** Tells whether a list is sorted by creation alone, as most are. */
export const isByCreation = ({ sort }: ListQuery): boolean =>
  sort.length === 1 && sort[0]?.column.name === '_created_at'

/** Tells whether a page is the first one by creation: its records need no separate sort keys. */
export const isFirstByCreation = (query: ListQuery): boolean => query.position === undefined && isByCreation(query)

/** Tells whether a list is sorted by the ids of its records. */
export const isById = ({ sort }: ListQuery): boolean => sort[0]?.column.name === '_id'

export const isDescending = ([first]: ListQuery['sort']): boolean => first?.descending === true

/** A row of a page with the values that it was sorted by. */
export type PageRow = RecordRow & { readonly sorted: readonly (string | number | null)[] }

/** A record's id and the values that it was sorted by. */
export type KeyRow = { readonly id: string } & Readonly<Record<`s${number}`, string | number | null>>

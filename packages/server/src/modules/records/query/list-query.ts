import type { Knex } from 'knex'
import type { Sql } from '../../../db/tx.ts'
import type { Principal } from '../../access/index.ts'
import type { ObjectModel } from '../object.ts'
import type { RecordRow } from '../store.ts'
import { isTime } from './columns.ts'
import type { KeysetPosition } from './cursor.ts'
import type { ResolvedFilter } from './filter.ts'
import type { SortKey } from './sort.ts'

/** Records that stand somewhere by their ids: at the other ends of one record's links, among the entries of a list. */
export type IdSet = {
  readonly workspaceId: string
  /** The live ones that the caller may see, each once, and the column that has their ids. */
  readonly rows: (sql: Sql) => { readonly query: Knex.QueryBuilder; readonly id: string }
  /** One of them, where it has the id in a column: for those who walk in another order and look at each. */
  readonly one?: (sql: Sql, id: string) => Knex.QueryBuilder
  /** The counter of their number, where all may be seen. */
  readonly counter: string | undefined
  /** Named for people. */
  readonly label: string
  /** What tells them from other records of their object; a cursor fits no others. */
  readonly scope: readonly unknown[]
}

/** Which records, in which order, and where the page lies among them. */
export type ListQuery = {
  readonly workspaceId: string
  readonly object: ObjectModel
  readonly principal: Principal<'read'>
  readonly sort: readonly SortKey[]
  readonly filter: ResolvedFilter | undefined
  /** More are not counted, but for one that tells that there are more. */
  readonly countMax?: number | undefined
  readonly offset: number
  readonly limit: number
  /** Wins over the offset. */
  readonly position: { readonly at: KeysetPosition; readonly direction: 'after' | 'before' } | undefined
  /** Only these of the object. */
  readonly idSet: IdSet | undefined
}

/** Sorted by one of the times of a record, which have indexes of their own. */
export const isByTime = ({ sort }: ListQuery): boolean =>
  sort.length === 1 && sort[0] !== undefined && isTime(sort[0].column)

/** A row of a page with the values that it was sorted by. */
export type PageRow = RecordRow & { readonly sorted: readonly (string | number | null)[] }

/** A record's id and the values that it was sorted by. */
export type KeyRow = { readonly id: string } & Readonly<Record<`s${number}`, string | number | null>>

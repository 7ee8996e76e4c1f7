import type { Asker } from '../../access/index.ts'
import type { LinkedSet } from '../include/store.ts'
import type { ObjectModel } from '../object.ts'
import type { RecordRow } from '../store.ts'
import { isTime } from './columns.ts'
import type { Position } from './cursor.ts'
import type { ResolvedFilter } from './filter.ts'
import type { SortKey } from './sort.ts'

/** Which records, in which order, and where the page lies among them. */
export type PageRequest = {
  readonly workspaceId: string
  readonly object: ObjectModel
  readonly asker: Asker
  readonly sort: readonly SortKey[]
  readonly filter: ResolvedFilter | undefined
  readonly offset: number
  readonly limit: number
  /** Wins over the offset. */
  readonly position: { readonly at: Position; readonly direction: 'after' | 'before' } | undefined
  /** Only records at the other end of the links of one record, `of`. */
  readonly links: (LinkedSet & { readonly of: string; readonly isToMany: boolean }) | undefined
}

/** Sorted by one of the times of a record, which have indexes of their own. */
export const isByTime = ({ sort }: PageRequest): boolean => sort.length === 1 && sort[0] !== undefined && isTime(sort[0].column)

/** A row of a page with the values that it was sorted by. */
export type PageRow = RecordRow & { readonly sorted: readonly (string | number | null)[] }

/** A record's id and the values that it was sorted by. */
export type KeyRow = { readonly id: string } & Readonly<Record<`s${number}`, string | number | null>>

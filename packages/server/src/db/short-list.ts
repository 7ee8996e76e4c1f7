import type { Knex } from 'knex'
import { sliceInOrder, type Slice } from './in-order.ts'
import { readTotal } from './rows.ts'
import type { Sql } from './sql.ts'
import type { ReadTx } from './tx.ts'

type ListRows = {
  /** All rows of the list, with neither columns nor order: the page and the total are read from the same. */
  readonly from: (sql: Sql) => Knex.QueryBuilder
  readonly columns: readonly string[]
  /** The key that breaks ties. */
  readonly id: string
  /** Counting takes long, and so does a page of which this is true: SQLite does both beside other requests. */
  readonly isHeavy?: (order: ListOrder, slice: Slice) => boolean
}

type ListOrder = { readonly column: string; readonly descending: boolean; readonly isText: boolean }

/** A part of a list, and how many rows it has in all. */
export type ListPart<Row> = { readonly rows: readonly Row[]; readonly total: number }

/** Reads a part of a list, and counts all of it. */
export type ListReader<Row> = (tx: ReadTx, order: ListOrder, slice: Slice) => Promise<ListPart<Row>>

/** Returns the reader of a list; a text column is sorted regardless of case. */
export const shortList =
  <Row>({ from, columns, id, isHeavy }: ListRows): ListReader<Row> =>
  async (tx, order, slice) => {
    const [rows, total] = await Promise.all([
      tx.query<Row>((sql) => sliceInOrder(sql, from(sql).select([...columns]), order, id, slice), {
        heavy: isHeavy?.(order, slice) === true,
      }),
      readTotal(tx, (sql) => from(sql).count('* as total'), isHeavy !== undefined),
    ])
    return { rows, total }
  }

/** A list that nothing can be in. */
export const emptyList = (): Promise<ListPart<never>> => Promise.resolve({ rows: [], total: 0 })

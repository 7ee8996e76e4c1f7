import { defined } from '../../lib/guards.ts'
import type { SqliteConnection } from '../sqlite-connection.ts'

/** As many rows as the largest table of a large workspace has. */
const rowsAssumed = 1_000_000

/** Rows that one record, person or moment has in a table. */
const rowsOfOne = 10

/** Columns that have few values in a workspace; every other names a record, a person or a moment. */
const coarse = new Set(['object', 'field', 'relationship', 'is_null', 'kind', 'type', 'endpoint', 'actor_id'])

/**
 * Gives SQLite's planner the statistics of a large workspace, as "Manual Control Of Query Plans Using SQLITE_STAT
 * Tables" describes (docs/decisions/0015). Without statistics it assumes ten rows per workspace in a table, and reads
 * the whole table rather than look up a few records by their ids. Every database gets the same plans, from the first
 * row on.
 */
export function writeStatistics(connection: SqliteConnection): void {
  // Makes the table of statistics where there is none, and gathers nothing.
  connection.exec('analyze sqlite_schema')
  connection.exec('delete from sqlite_stat1')
  for (const { tbl, idx, isUnique, columns } of indexesOf(connection)) {
    connection.run('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)', [
      tbl,
      idx,
      statisticOf(columns, isUnique),
    ])
  }
  connection.exec('analyze sqlite_schema')
}

type Index = {
  readonly tbl: string
  readonly idx: string
  readonly isUnique: boolean
  readonly columns: readonly string[]
}

function indexesOf(connection: SqliteConnection): Index[] {
  const rows = connection.all(
    `select t.name as tbl, i.name as idx, i."unique" as is_unique, i.origin = 'pk' and t.wr as is_table,
       group_concat(c.name, ' ' order by c.seqno) as columns
     from pragma_table_list as t, pragma_index_list(t.name) as i, pragma_index_xinfo(i.name) as c
     where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite_%' and c.key = 1
     group by t.name, i.name order by t.name, i.name`,
    [],
  ) as unknown as { tbl: string; idx: string; is_unique: number; is_table: number; columns: string }[]
  // The primary key of a table without row ids is the table itself.
  return rows.map(({ tbl, idx, is_unique, is_table, columns }) => ({
    tbl,
    idx: is_table === 1 ? tbl : idx,
    isUnique: is_unique === 1,
    columns: columns.split(' '),
  }))
}

/** The rows of the table, and the rows that agree in the first column, the first two, and so on. */
function statisticOf(columns: readonly string[], isUnique: boolean): string {
  const counts = [rowsAssumed]
  for (const [index, column] of columns.entries()) {
    const before = defined(counts[index])
    if (isUnique && index === columns.length - 1) counts.push(1)
    else if (column === 'workspace_id') counts.push(before)
    else counts.push(coarse.has(column) ? Math.ceil(before / 2) : Math.min(rowsOfOne, Math.ceil(before / 3)))
  }
  return counts.join(' ')
}

import { sortColumnsMax } from '@kontor/contract'
import { isList, memberOf } from '../../../lib/guards.ts'
import { isSortable } from '../../objects/index.ts'
import type { SortKey } from '../../query/index.ts'
import { kindOf, only, refused } from '../../sql-grammar/index.ts'
import { columnAt } from './columns.ts'
import type { Tables } from './tables.ts'

/** Largest limit: the last records of a longer list are not read, and each read sorts them all. */
const rowsMax = 10_000

/** The order of a SELECT; undefined if it has none. Empty values come last either way. */
export function orderOf(clause: unknown, tables: Tables): readonly SortKey[] | undefined {
  if (clause === undefined) return undefined
  const items = isList(clause) ? clause : []
  if (items.length > sortColumnsMax)
    throw refused(`A list can be sorted by at most ${sortColumnsMax} columns`, items[sortColumnsMax])
  return items.map((item) => {
    const [kind, sort] = kindOf(item)
    if (kind !== 'SortBy') throw refused('A list can only be sorted by columns', item)
    only(sort, ['node', 'sortby_dir', 'sortby_nulls'], 'ORDER BY')
    if (sort['sortby_dir'] === 'SORTBY_USING') throw refused('A list can only be sorted ASC or DESC', item)
    if (sort['sortby_nulls'] === 'SORTBY_NULLS_FIRST') throw refused('Empty values come last', item)
    return { column: sortedBy(sort['node'], item, tables), descending: sort['sortby_dir'] === 'SORTBY_DESC' }
  })
}

function sortedBy(node: unknown, item: unknown, tables: Tables): SortKey['column'] {
  if (kindOf(node)[0] !== 'ColumnRef') throw refused('A list can only be sorted by columns', node, item)
  const { table, column } = columnAt(node, tables)
  if (table.steps.length > 0 || table.many !== undefined)
    throw refused('A list can only be sorted by columns of its own object', node)
  if (!isSortable(column)) throw refused(`A list cannot be sorted by "${column.name}"`, node)
  return column
}

/** The limit of records of a list; undefined if the SELECT has none. */
export function limitOf(count: unknown): number | undefined {
  if (count === undefined) return undefined
  const held = memberOf(memberOf(count, 'A_Const'), 'ival')
  const rows = held === undefined ? undefined : Number(memberOf(held, 'ival') ?? 0)
  if (rows === undefined || rows < 1 || rows > rowsMax)
    throw refused(`LIMIT must be a number from 1 to ${rowsMax}`, count)
  return rows
}

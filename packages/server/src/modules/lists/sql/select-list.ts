import { kindOf, namesIn, only, refused } from '../../sql-grammar/index.ts'
import { columnAt, tableAt } from './columns.ts'
import type { Table, Tables } from './tables.ts'
import { sortColumnsMax } from '@kontor/contract'
import { isList, memberOf } from '../../../lib/guards.ts'
import { isSortable } from '../../objects/index.ts'
import type { SortKey } from '../../query/index.ts'

/** Suffix of the name of a joined table that stands for its whole record. */
const recordSuffix = ':__object__'

/**
 * Checks the target list of a SELECT. It has no effect, since a list answers with whole records, but unknown names are
 * refused as anywhere else: columns, `*`, and joined records as `"deal$company_id:__object__"`.
 */
export function checkSelectList(list: unknown, tables: Tables): void {
  if (!Array.isArray(list) || list.length === 0) throw refused('A SELECT can only select columns, or *', list)
  for (const item of list) {
    const [kind, target] = kindOf(item)
    if (kind !== 'ResTarget') throw refused('A SELECT can only select columns, or *', item)
    only(target, ['name', 'val'], 'A column of a SELECT')
    checkTarget(target['val'], item, tables)
  }
}

function checkTarget(value: unknown, item: unknown, tables: Tables): void {
  const [kind, { fields }] = kindOf(value)
  if (kind !== 'ColumnRef' || !Array.isArray(fields))
    throw refused('A SELECT can only select columns, or *', value, item)
  if (kindOf(fields.at(-1))[0] === 'A_Star') {
    const before = namesIn(fields.slice(0, -1))
    if (before === undefined || before.length > 1) throw refused('To select all columns, write * or table.*', value)
    if (before[0] !== undefined) tableAt(before[0], tables, value)
    return
  }
  const names = namesIn(fields)
  const [only_] = names ?? []
  if (names?.length === 1 && only_?.endsWith(recordSuffix) === true)
    return checkRecord(only_.slice(0, -recordSuffix.length), value, tables)
  columnAt(value, tables)
}

/** Checks the name of a table, or of the relationship that leads to it from another one: `deal$company_id`. */
function checkRecord(name: string, value: unknown, tables: Tables): void {
  if (tables.all.has(name)) return
  const [alias = '', relationship = ''] = name.split('$')
  const from: Table = tableAt(alias, tables, value)
  const field = from.object.fields.get(relationship)
  if (field?.relationship === undefined)
    throw refused(`${from.object.name} has no relationship "${relationship}"`, value)
  tables.uses.push({
    at: Number(kindOf(value)[1]['location']),
    index: 0,
    object: from.object,
    name: relationship,
    before: `${alias}$`,
    behind: recordSuffix,
  })
}

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

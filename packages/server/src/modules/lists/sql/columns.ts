import { defined } from '../../../lib/guards.ts'
import { columnNames, findColumn, isToMany, type Column } from '../../objects/index.ts'
import { kindOf, namesIn, refused } from '../../sql-grammar/index.ts'
import type { Table, Tables, Use } from './tables.ts'

/** A column, and its table. Within UPPER or LOWER, an option or an id is compared regardless of case. */
export type Located = { readonly table: Table; readonly column: Column; readonly anyCase?: true }

/** Tells whether a part of the tree names a column. */
export const isColumn = (part: unknown): boolean => kindOf(part)[0] === 'ColumnRef'

/** Resolves the name of a column: in the table before it, or in the one table that has such a column. */
export function columnAt(part: unknown, tables: Tables): Located {
  const { fields, location } = kindOf(part)[1]
  const names = namesIn(fields)
  const [first, second] = names ?? []
  if (first === undefined || (names?.length ?? 0) > 2) throw refused('Write a column as column or table.column', part)
  if (second !== undefined)
    return noted(
      { table: tableAt(first, tables, part), column: requireColumn(tableAt(first, tables, part), second, part) },
      Number(location),
      1,
      tables,
    )
  const found = [...tables.all.values()].flatMap((table) => {
    const column = findColumn(table.object, first)
    return column === undefined ? [] : [{ table, column }]
  })
  if (found.length > 1) throw refused(`Several tables have a column "${first}": write table.${first}`, part)
  return noted(
    found[0] ?? { table: firstOf(tables), column: requireColumn(firstOf(tables), first, part) },
    Number(location),
    0,
    tables,
  )
}

function noted(located: Located, at: number, index: number, { all, uses }: Tables): Located {
  const {
    table: { object },
    column,
  } = located
  if (column.kind === 'field')
    uses.push({
      at,
      index,
      object,
      name: column.part === undefined ? column.name : column.name.slice(0, -column.part.length - 1),
      before: '',
      behind: column.part === undefined ? '' : `.${column.part}`,
      ...(index === 0 && { bare: bareIn(all, located.table) }),
    })
  return located
}

function bareIn(all: Tables['all'], own: Table): NonNullable<Use['bare']> {
  const others = [...all].filter(([, table]) => table !== own).map(([, { object }]) => object)
  return { table: defined([...all].find(([, table]) => table === own))[0], others }
}

const firstOf = (tables: Tables): Table => defined([...tables.all.values()][0])

export function tableAt(name: string, tables: Tables, part: unknown): Table {
  const table = tables.all.get(name)
  if (table === undefined)
    throw refused(`There is no table "${name}" in this SELECT`, part, undefined, [...tables.all.keys()])
  return table
}

function requireColumn({ object }: Table, name: string, part: unknown): Column {
  const column = findColumn(object, name)
  if (column !== undefined) return column
  const field = object.fields.get(name)
  if (field !== undefined && isToMany(field))
    throw refused(`${object.name} records may have many ${name}: join them`, part)
  throw refused(`${object.name} has no column "${name}"`, part, undefined, columnNames(object, false))
}

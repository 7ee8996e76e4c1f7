import { columnNames } from '../objects/index.ts'
import { kindOf, namesIn, only, refused } from '../sql-grammar/index.ts'
import type { SqlTable, SqlTables } from './tables.ts'

/** A selected expression, the name of its column, and the name that AS gives it. */
export type Selected = { readonly part: unknown; readonly name: string; readonly alias: string | undefined }

const columnsMax = 100

/** Reads what is selected; `*` is every column of a table that SQL can read. */
export function selectedOf(list: unknown, tables: SqlTables): Selected[] {
  const parts = Array.isArray(list) ? list : []
  const selected = parts.flatMap((target) => {
    const [, node] = kindOf(target)
    only(node, ['name', 'val'], 'A selected column')
    const starred = starOf(node['val'], tables, target)
    if (starred !== undefined) return starred
    const alias = typeof node['name'] === 'string' ? node['name'] : undefined
    return [{ part: node['val'], name: alias ?? nameOf(node['val']), alias }]
  })
  if (selected.length === 0) throw refused('SELECT names what it selects', list)
  if (selected.length > columnsMax) throw refused(`At most ${columnsMax} columns can be selected`, parts[0])
  return named(selected)
}

function starOf(part: unknown, tables: SqlTables, around: unknown): Selected[] | undefined {
  const [kind, node] = kindOf(part)
  const fields = kind === 'ColumnRef' && Array.isArray(node['fields']) ? node['fields'] : []
  if (kindOf(fields.at(-1))[0] !== 'A_Star') return undefined
  const alias = fields.length > 1 ? namesIn(fields.slice(0, -1))?.join('.') : undefined
  const of = alias === undefined ? [...tables.values()] : [...tables.values()].filter((table) => table.alias === alias)
  if (of.length === 0)
    throw refused(`There is no table "${alias?.slice(0, 64)}" in this SELECT`, part, around, [...tables.keys()])
  return of.flatMap(columnsOf)
}

const columnsOf = ({ alias, object }: SqlTable): Selected[] =>
  columnNames(object, true).map((name) => ({
    part: { ColumnRef: { fields: [{ String: { sval: alias } }, { String: { sval: name } }] } },
    name,
    alias: undefined,
  }))

/** A column without AS is called as its field, its function or its kind. */
function nameOf(part: unknown): string {
  const [kind, node] = kindOf(part)
  if (kind === 'ColumnRef') return namesIn(node['fields'])?.at(-1) ?? 'column'
  if (kind === 'FuncCall') return namesIn(node['funcname'])?.at(-1) ?? 'column'
  return kind === 'CaseExpr' ? 'case' : kind === 'CoalesceExpr' ? 'coalesce' : kind === 'TypeCast' ? 'date' : 'column'
}

/** Names each column once: the second `count` is `count_2`. */
function named(selected: readonly Selected[]): Selected[] {
  const taken = new Set<string>()
  return selected.map((one) => {
    let name = one.name
    for (let number = 2; taken.has(name); number++) name = `${one.name}_${number}`
    taken.add(name)
    return { ...one, name }
  })
}

import { defined, isRecord } from '../../lib/guards.ts'
import type { Principal } from '../access/index.ts'
import { linkEndOf, relationshipFields, type Column, type ObjectModel } from '../objects/index.ts'
import { kindOf, namesIn, only, refused, type Node } from '../sql-grammar/index.ts'

/** The join of a table to the one before it: along the links of a relationship. */
type Join = {
  readonly from: SqlTable
  readonly relationship: string
  /** The end of the links that has the records of `from`. */
  readonly end: 'from_id' | 'to_id'
  readonly inner: boolean
}

/** A table of FROM or JOIN: the records of an object that the caller may read. */
export type SqlTable = {
  /** Its name in the text. */
  readonly alias: string
  /** Its name in the query, which nobody has written. */
  readonly name: string
  readonly object: ObjectModel
  readonly principal: Principal<'read'>
  /** The columns that are read, by name. */
  readonly columns: Map<string, { readonly column: Column; readonly name: string }>
  readonly join: Join | undefined
}

export type SqlTables = ReadonlyMap<string, SqlTable>

/** Finds an object by its name, with the caller's rights to it; undefined if there is none. */
type FindTable = (name: string) => Pick<SqlTable, 'object' | 'principal'> | undefined

export type Directory = { readonly find: FindTable; readonly names: readonly string[] }

const joinsMax = 8

/** Reads the tables that FROM names. */
export function tablesOf(from: unknown, directory: Directory, around: unknown): SqlTables {
  if (!Array.isArray(from) || from.length === 0) throw refused('SELECT reads an object: FROM person', from, around)
  if (from.length > 1) throw refused('Join tables with JOIN … ON, along a relationship', from[1])
  const tables = new Map<string, SqlTable>()
  addTables(from[0], directory, tables)
  return tables
}

function addTables(item: unknown, directory: Directory, tables: Map<string, SqlTable>): void {
  const [kind, node] = kindOf(item)
  if (kind === 'RangeVar') {
    add(node, directory, tables, () => undefined)
    return
  }
  if (kind !== 'JoinExpr') throw refused('SELECT reads objects by their names', item)
  only(node, ['jointype', 'larg', 'rarg', 'quals'], 'A JOIN')
  const inner = node['jointype'] === 'JOIN_INNER'
  if (!inner && node['jointype'] !== 'JOIN_LEFT')
    throw refused('Join tables with JOIN or LEFT JOIN', node['rarg'], item)
  addTables(node['larg'], directory, tables)
  const [right, range] = kindOf(node['rarg'])
  if (right !== 'RangeVar') throw refused('A JOIN must name an object', node['rarg'], item)
  if (tables.size > joinsMax) throw refused(`At most ${joinsMax} tables can be joined`, node['rarg'])
  add(range, directory, tables, (alias, object) => ({ ...along(node['quals'], alias, object, tables, item), inner }))
}

function add(
  node: Node,
  { find, names }: Directory,
  tables: Map<string, SqlTable>,
  joinOf: (alias: string, object: ObjectModel) => Join | undefined,
): void {
  only(node, ['relname', 'inh', 'relpersistence', 'alias'], 'A table')
  const name = String(node['relname'])
  const found = find(name)
  if (found === undefined) throw refused(`There is no object "${name.slice(0, 64)}"`, node, undefined, names)
  if (node['inh'] !== true) throw refused('ONLY is not supported', node)
  const given = isRecord(node['alias']) ? node['alias'] : undefined
  if (given !== undefined) only(given, ['aliasname'], 'A name for a table')
  const alias = typeof given?.['aliasname'] === 'string' ? given['aliasname'] : name
  if (tables.has(alias)) throw refused(`Two tables are named "${alias}": give one of them another name`, node)
  const join = joinOf(alias, found.object)
  tables.set(alias, { ...found, alias, name: `t${tables.size}`, columns: new Map(), join })
}

/** The condition of a JOIN: one relationship, from a table before it, read from either end. */
function along(
  quals: unknown,
  alias: string,
  object: ObjectModel,
  tables: SqlTables,
  around: unknown,
): Omit<Join, 'inner'> {
  const sides = equalColumns(quals)
  for (const [one, other] of sides === undefined ? [] : [sides, [sides[1], sides[0]] as const]) {
    const from = tables.get(one.table)
    if (from === undefined || other.table !== alias) continue
    if (other.column === '_id') return { from, ...linksFrom(from.object, one.column, object, quals) }
    if (one.column !== '_id') continue
    // The same relationship from its other end.
    const { relationship, end } = linksFrom(object, other.column, from.object, quals)
    return { from, relationship, end: end === 'from_id' ? 'to_id' : 'from_id' }
  }
  throw refused('A JOIN must follow a relationship: ON person.company_id = company._id', quals, around)
}

function linksFrom(from: ObjectModel, name: string, to: ObjectModel, around: unknown) {
  const leading = relationshipFields(from).filter(({ relationship }) => relationship?.entity === to.name)
  const field = leading.find((one) => one.name === name)
  if (field !== undefined) return linkEndOf(from, field)
  const allowed = leading.map((one) => one.name)
  throw refused(`${from.name} has no relationship "${name.slice(0, 64)}" to ${to.name}`, around, undefined, allowed)
}

type ColumnName = { readonly table: string; readonly column: string }

function equalColumns(quals: unknown): readonly [ColumnName, ColumnName] | undefined {
  const [kind, node] = kindOf(quals)
  if (kind !== 'A_Expr' || node['kind'] !== 'AEXPR_OP' || namesIn(node['name'])?.join('.') !== '=') return undefined
  const sides = [node['lexpr'], node['rexpr']].map((side) => {
    const names = kindOf(side)[0] === 'ColumnRef' ? namesIn(kindOf(side)[1]['fields']) : undefined
    return names?.length === 2 ? { table: defined(names[0]), column: defined(names[1]) } : undefined
  })
  return sides[0] !== undefined && sides[1] !== undefined ? [sides[0], sides[1]] : undefined
}

import { defined, isRecord } from '../../../lib/guards.ts'
import { isToMany, linkEndOf, relationshipFields, type ObjectModel } from '../../objects/index.ts'
import { kindOf, namesIn, type Node, only, refused } from '../../sql-grammar/index.ts'
import type { UncheckedStep } from './tree.ts'

/**
 * A to-many table: all conditions on it, and on the tables that it leads to, must be satisfied by one of its records.
 */
export type Many = {
  readonly alias: string
  /** Steps from the records of the list. */
  readonly steps: readonly UncheckedStep[]
  /** Set if there must be a record. */
  readonly inner: boolean
}

/** A table of FROM or JOIN: the object of the list, or a related object. */
export type Table = {
  readonly alias: string
  readonly object: ObjectModel
  readonly inner: boolean
  /** Steps from the records of the list, or from those of `many`. */
  readonly steps: readonly UncheckedStep[]
  readonly many: Many | undefined
}

/** The tables of a SELECT by their names in it, the list's own first, and the places where it names fields. */
export type Tables = { readonly all: ReadonlyMap<string, Table>; readonly uses: Use[] }

/** A use of a field name in the text: the `index`th of the dotted names at a byte. */
export type Use = {
  readonly at: number
  readonly index: number
  readonly object: ObjectModel
  readonly name: string
  readonly before: string
  readonly behind: string
  /** Where it stands without its table: the name of that, and the objects of the other tables. */
  readonly bare?: { readonly table: string; readonly others: readonly ObjectModel[] }
}

export type Models = ReadonlyMap<string, ObjectModel>

const joinsMax = 8

/** Reads the tables that FROM names. */
export function tablesOf(from: unknown, base: ObjectModel, models: Models): Tables {
  if (!Array.isArray(from) || from.length === 0)
    throw refused(`A list must select from its object "${base.name}"`, from)
  if (from.length > 1) throw refused('Join tables with JOIN … ON, along a relationship', from[1])
  const tables = { all: new Map<string, Table>(), uses: [] }
  addTables(from[0], base, models, tables)
  return tables
}

type Growing = Tables & { readonly all: Map<string, Table> }

function addTables(item: unknown, base: ObjectModel, models: Models, tables: Growing): void {
  const [kind, node] = kindOf(item)
  if (kind === 'RangeVar') {
    const { object, alias } = rangeOf(node, models)
    if (object.key !== base.key)
      throw refused(`This is a list of ${base.name} records: it must select from "${base.name}"`, item)
    tables.all.set(alias, { alias, object, inner: true, steps: [], many: undefined })
    return
  }
  if (kind !== 'JoinExpr') throw refused('A list can only select from objects, by their names', item)
  only(node, ['jointype', 'larg', 'rarg', 'quals'], 'A JOIN')
  const inner = node['jointype'] === 'JOIN_INNER'
  if (!inner && node['jointype'] !== 'JOIN_LEFT')
    throw refused('Join tables with JOIN or LEFT JOIN', node['rarg'], item)
  addTables(node['larg'], base, models, tables)
  const [right, range] = kindOf(node['rarg'])
  if (right !== 'RangeVar') throw refused('A JOIN must name an object', node['rarg'], item)
  const { object, alias } = rangeOf(range, models)
  if (tables.all.has(alias))
    throw refused(`Two tables are named "${alias}": give one of them another name`, node['rarg'])
  if (tables.all.size > joinsMax) throw refused(`A list can join at most ${joinsMax} tables`, node['rarg'])
  const { from, step } = joined(node['quals'], alias, object, tables, node['rarg'])
  const steps = [...from.steps, step]
  tables.all.set(
    alias,
    step.isToMany
      ? { alias, object, inner, steps: [], many: { alias, steps, inner } }
      : { alias, object, inner, steps, many: from.many },
  )
}

function rangeOf(node: Node, models: Models): { readonly object: ObjectModel; readonly alias: string } {
  only(node, ['relname', 'inh', 'relpersistence', 'alias'], 'A table')
  const name = String(node['relname'])
  const object = models.get(name)
  if (object === undefined) throw refused(`There is no object "${name}"`, node, undefined, [...models.keys()])
  if (node['inh'] !== true) throw refused('ONLY is not supported', node)
  const alias = isRecord(node['alias']) ? node['alias'] : undefined
  if (alias !== undefined) only(alias, ['aliasname'], 'A name for a table')
  return { object, alias: typeof alias?.['aliasname'] === 'string' ? alias['aliasname'] : name }
}

type Joined = { readonly from: Table; readonly step: UncheckedStep }

/** Resolves the condition of a JOIN: one relationship, from a table before it. */
function joined(quals: unknown, alias: string, object: ObjectModel, tables: Tables, around: unknown): Joined {
  const sides = equalColumns(quals)
  if (sides === undefined)
    throw refused('A JOIN must follow a relationship: ON table.relationship = other._id', quals, around)
  for (const [one, other] of [sides, [sides[1], sides[0]]] as const) {
    const from = tables.all.get(one.table)
    // From a record with a reference or a to-many relationship to the related record.
    if (from !== undefined && other.table === alias && other.column === '_id')
      return noted(along(from, one.column, object, quals), one, from.object, tables)
    const reference =
      one.column === '_id' && other.table === alias
        ? relationshipFields(object).find(({ name }) => name === other.column)
        : undefined
    const back = reference?.relationship
    // The same relationship from its other end.
    if (from !== undefined && reference !== undefined && back?.entity === from.object.name && back.field !== undefined)
      return noted(along(from, back.field, object, quals), other, object, tables)
  }
  throw refused('A JOIN must follow a relationship: ON table.relationship = other._id', quals, around)
}

type ColumnName = { readonly table: string; readonly column: string; readonly at: number }

function noted(join: Joined, { column, at }: ColumnName, object: ObjectModel, { uses }: Tables): Joined {
  uses.push({ at, index: 1, object, name: column, before: '', behind: '' })
  return join
}

function equalColumns(quals: unknown): [ColumnName, ColumnName] | undefined {
  const [kind, node] = kindOf(quals)
  if (kind !== 'A_Expr' || node['kind'] !== 'AEXPR_OP' || namesIn(node['name'])?.join('.') !== '=') return undefined
  const sides = [node['lexpr'], node['rexpr']].map((side) => {
    const [sideKind, { fields, location }] = kindOf(side)
    const names = sideKind === 'ColumnRef' ? namesIn(fields) : undefined
    return names?.length === 2
      ? { table: defined(names[0]), column: defined(names[1]), at: Number(location) }
      : undefined
  })
  return sides[0] !== undefined && sides[1] !== undefined ? [sides[0], sides[1]] : undefined
}

function along(from: Table, name: string, object: ObjectModel, around: unknown): Joined {
  const field = relationshipFields(from.object).find((one) => one.name === name)
  if (field === undefined || field.relationship?.entity !== object.name) {
    const allowed = relationshipFields(from.object)
      .filter(({ relationship }) => relationship?.entity === object.name)
      .map((one) => one.name)
    throw refused(`${from.object.name} has no relationship "${name}" to ${object.name}`, around, undefined, allowed)
  }
  const step: UncheckedStep = {
    field,
    linkEnd: linkEndOf(from.object, field),
    isToMany: isToMany(field),
    target: object,
  }
  if (step.isToMany && from.many !== undefined)
    throw refused(
      'A table that may have many records can only be joined further along a relationship to one record',
      around,
    )
  return { from, step }
}

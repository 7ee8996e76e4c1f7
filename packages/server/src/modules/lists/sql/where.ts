import { defined } from '../../../lib/guards.ts'
import { findColumn, type Column } from '../../objects/index.ts'
import { refused } from '../../sql-grammar/index.ts'
import { isThere } from './comparisons.ts'
import { conditionAt, conjunctsAt, type Scope } from './conditions.ts'
import type { Many, Table } from './tables.ts'
import { allOf, type Leaf, type Tree } from './tree.ts'

/**
 * Builds the filter of WHERE and the joins. Conditions on a to-many table are gathered, because they must be satisfied
 * by one record of it. So each condition refers to one such table at most, and they are joined by AND.
 */
export function filterOf(where: unknown, scope: Scope): Tree | undefined {
  const tables = [...scope.tables.all.values()]
  const own: Tree[] = []
  const asked = new Map<Many, Tree[]>(tables.flatMap(({ many }) => (many === undefined ? [] : [[many, []]])))
  const put = (many: Many | undefined, tree: Tree) => (many === undefined ? own : defined(asked.get(many))).push(tree)
  for (const conjunct of where === undefined ? [] : conjunctsAt(where)) {
    const { tree, of } = conditionAt(conjunct, scope)
    if (of.size > 1)
      throw refused(
        'Conditions on a joined table with many records must be separate, joined to the rest by AND',
        conjunct,
      )
    put([...of][0], tree)
  }
  for (const table of tables) if (table.inner && table.steps.length > 0) put(table.many, isThere(idOf(table)))
  const found = [...asked].flatMap(([many, conditions]) => ofMany(many, allOf(conditions), tables) ?? [])
  return allOf([...own, ...found])
}

const idOf = (table: Table): { table: Table; column: Column } => ({
  table,
  column: defined(findColumn(table.object, '_id')),
})

/** The condition on a to-many table. A LEFT JOIN has a row without values if there is no record. */
function ofMany(many: Many, where: Tree | undefined, tables: readonly Table[]): Tree | undefined {
  if (where === undefined && !many.inner) return undefined
  const one = exists(many, where, tables)
  return many.inner || where === undefined || !holdsOfNothing(where)
    ? one
    : { or: [one, { not: exists(many, undefined, tables) }] }
}

/** Operators for which a dotted path means the same as `exists`; an index may answer it. */
const isAffirmative = ({ op }: Leaf): boolean => op !== 'Is empty'

function exists({ alias, steps }: Many, where: Tree | undefined, tables: readonly Table[]): Tree {
  const table = defined(tables.find((one) => one.alias === alias))
  if (where === undefined) return { ...isThere(idOf(table)), steps }
  return 'column' in where && isAffirmative(where)
    ? { ...where, steps: [...steps, ...where.steps] }
    : { exists: steps, where }
}

/** Tells whether a condition holds if all columns are empty. */
function holdsOfNothing(tree: Tree): boolean {
  if ('and' in tree) return tree.and.every(holdsOfNothing)
  if ('or' in tree) return tree.or.some(holdsOfNothing)
  if ('not' in tree) return !holdsOfNothing(tree.not)
  return 'column' in tree && tree.op === 'Is empty'
}

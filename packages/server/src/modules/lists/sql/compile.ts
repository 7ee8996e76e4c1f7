import { LRUCache } from 'lru-cache'
import { derived } from '../../../lib/caches.ts'
import { type ObjectModel, findColumn, type Column } from '../../objects/index.ts'
import type { SortKey } from '../../query/index.ts'
import { Budget, only, parse, refused } from '../../sql-grammar/index.ts'
import type { Reading } from './literals.ts'
import { limitOf, orderOf, checkSelectList } from './select-list.ts'
import { tablesOf, type Models, type Use, type Many, type Table } from './tables.ts'
import { type Tree, allOf, type Leaf } from './tree.ts'
import { defined } from '../../../lib/guards.ts'
import { isThere } from './comparisons.ts'
import { conditionAt, conjunctsAt, type Scope } from './conditions.ts'

/** The compiled SQL of a list, independent of the principal. */
export type CompiledSql = {
  readonly filter: Tree | undefined
  readonly sort: readonly SortKey[] | undefined
  readonly limit: number | undefined
  readonly uses: readonly Use[]
}

/** The clauses that a SELECT may have: everything else is refused. */
const clauses = ['targetList', 'fromClause', 'whereClause', 'sortClause', 'limitCount', 'limitOption', 'op']

/**
 * Compiles the SQL of a list to a filter, an order and a limit; throws `SqlRefusal` for SQL that is not supported
 * (docs/decisions/0085).
 */
export async function compileSql(
  sql: string,
  object: ObjectModel,
  models: Models,
  reading: Reading,
): Promise<CompiledSql> {
  const select = await parse(sql)
  only(
    select['op'] === 'SETOP_NONE' ? { ...select, op: undefined } : { ...select, larg: select['larg'] ?? select },
    clauses.filter((name) => name !== 'op'),
    'A list',
  )
  only(
    {
      limitOption: ['LIMIT_OPTION_DEFAULT', 'LIMIT_OPTION_COUNT'].includes(String(select['limitOption']))
        ? undefined
        : select['limitCount'],
    },
    [],
    'LIMIT',
  )
  const tables = tablesOf(select['fromClause'], object, models)
  checkSelectList(select['targetList'], tables)
  return {
    filter: filterOf(select['whereClause'], { ...reading, tables, budget: new Budget() }),
    sort: orderOf(select['sortClause'], tables),
    limit: limitOf(select['limitCount']),
    uses: tables.uses,
  }
}

const rememberedMax = 200

const rememberedOf = derived((_models: Models) => new LRUCache<string, CompiledSql>({ max: rememberedMax }))

/** Compiles the SQL of a stored list, cached as long as the schemas are. */
export async function compileStored(
  sql: string,
  object: ObjectModel,
  models: Models,
  timeZone: string,
): Promise<CompiledSql> {
  const remembered = rememberedOf(models)
  const key = `${object.key} ${timeZone} ${sql}`
  const found = remembered.get(key) ?? (await compileSql(sql, object, models, { strict: false, timeZone }))
  remembered.set(key, found)
  return found
}

/**
 * Builds the filter of WHERE and the joins. Conditions on a to-many table are gathered, because they must be satisfied
 * by one record of it. So each condition refers to one such table at most, and they are joined by AND.
 */
function filterOf(where: unknown, scope: Scope): Tree | undefined {
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
